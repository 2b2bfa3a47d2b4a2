/* Choosing collective algorithms, with models and measurements made by hand: what is surely faster is taken, what may
 * be is left or settled by a duel, few ranges lose little, and measured times count more than predictions. */
#include "choose/collective/collective.h"
#include "choose/collective/say.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a model by hand: α + β · bytes for each algorithm ---- */

static double spread; /* relative half width of predictions */

typedef struct line {
    int operation;
    const char *algorithm;
    double start, per_byte;
} line;
/* binomial is usual up to 32 KB, then scatter-doubling to 512 KB, then scatter-ring */
static const line lines[] = {
    {SUP_BROADCAST, "linear", 1e-6, 9e-9},
    {SUP_BROADCAST, "binomial", 2e-6, 3e-9},
    {SUP_BROADCAST, "chain", 4e-6, 1e-9},
    {SUP_BROADCAST, "scatter-ring", 9e-6, 2e-9},
    {SUP_BROADCAST, "scatter-doubling", 8e-6, 2e-9},
    {SUP_BROADCAST, "pipeline", 20e-6, 4e-9},
};

static sup_status cost(const sup_collective_platform *platform, const sup_choice *choice, const sup_job *job,
                       const sup_mapping *mapping, sup_diag *diag, sup_prediction *out) {
    (void)platform;
    (void)mapping;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].operation == job->operation && !strcmp(lines[i].algorithm, choice->algorithm->name)) {
            double v = lines[i].start + lines[i].per_byte * (double)job->bytes + (job->segment_bytes ? 1e-6 : 0);
            *out = (sup_prediction){v, v * (1 - spread), v * (1 + spread)};
            return SUP_OK;
        }
    return sup_diag_set(diag, SUP_ENOENT, NULL, 0, "not measured");
}
static const sup_collective_model model = {"hand", "by hand", cost};

static const sup_mapping four = {.kind = SUP_MAPPING_SEQUENTIAL, .processes = 4, .size = 4, .nodes = 1};
static const sup_coll_set broadcast = {SUP_BROADCAST, 4, 1, &four};
static const sup_coll_source messages = {.transport = "openmpi", .model = &model};

static sup_coll_grid grid_of(const sup_coll_source *source, const sup_coll_set *set) {
    sup_coll_grid g;
    sup_diag diag = {0};
    if (sup_coll_grid_open(source, set, &diag, &g)) fail_msg("%s", diag.text);
    return g;
}

static const char *taken(const sup_coll_grid *g, int64_t bytes) {
    sup_coll_range r;
    for (size_t k = 0; sup_coll_grid_range(g, k, &r); k++)
        if (bytes >= r.from && (r.to < 0 || bytes < r.to)) return r.candidate < 0 ? "usual" : g->at[r.candidate].text;
    return NULL;
}

static size_t ranges(const sup_coll_grid *g) {
    sup_coll_range r;
    size_t k = 0;
    int64_t last = 0;
    while (sup_coll_grid_range(g, k, &r)) {
        assert_true(k ? r.from == last : r.from == 0); /* no gaps */
        last = r.to;
        k++;
    }
    assert_true(last == -1);
    return k;
}

static void surely_faster(void **state) {
    (void)state;
    spread = 0.01;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    assert_true(g.total[0] == 8 && g.total[g.sizes - 1] == SUP_COLL_BYTES_MOST);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    assert_string_equal(taken(&g, 8), "linear");
    assert_string_equal(taken(&g, 500), "usual"); /* binomial, which is the best there */
    assert_string_equal(taken(&g, 4096), "chain");
    assert_string_equal(taken(&g, 8 << 20), "chain");
    assert_int_equal(ranges(&g), 3);
    sup_coll_grid_free(&g);
}

static void not_so_sure(void **state) {
    (void)state;
    spread = 0.9; /* nothing is beyond that */
    sup_coll_grid g = grid_of(&messages, &broadcast);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    assert_int_equal(ranges(&g), 1);
    assert_string_equal(taken(&g, 4096), "usual");
    assert_int_equal(sup_coll_grid_best(&g), SUP_OK); /* but who must choose takes the best */
    assert_string_equal(taken(&g, 4096), "chain");
    sup_coll_grid_free(&g);
}

/* A prediction of nothing leaves everything as it is, and says nothing. */
static void not_known(void **state) {
    (void)state;
    sup_coll_set gather = {SUP_GATHER, 4, 1, &four};
    sup_coll_grid g = grid_of(&messages, &gather);
    assert_true(g.total[0] == 32 && g.bytes[0] == 8);
    for (size_t s = 0; s < g.sizes; s++) assert_true(g.total[s] == 4 * g.bytes[s]);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    assert_string_equal(taken(&g, 4096), "usual");
    assert_int_equal(ranges(&g), 1);
    assert_int_equal(sup_coll_grid_ties(&g, 0, NULL, 0), 0);
    sup_coll_grid_free(&g);
}

/* The loss of the cover, against taking the best at every size: borders are few, and nobody notices. */
static void few_borders(void **state) {
    (void)state;
    spread = 0;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    assert_int_equal(sup_coll_grid_best(&g), SUP_OK);
    double sum = 0, worst = 1;
    for (size_t s = 0; s < g.sizes; s++) {
        double best = INFINITY, mine = g.at[sup_coll_grid_at(&g, s)].time[s].cost.value;
        for (size_t i = 0; i < g.count; i++) best = fmin(best, fmin(INFINITY, g.at[i].time[s].cost.value));
        sum += mine / best;
        worst = fmax(worst, mine / best);
    }
    assert_true(sum / (double)g.sizes < 1.02 && worst < 1.1);
    assert_true(ranges(&g) <= 3);
    sup_coll_grid_free(&g);
}

/* ---- measured ---- */

#define MEASURED(net, name, P, times)                                                                     \
    {                                                                                                     \
        .transport = net, .operation = op, .algorithm = name, .processes = P, .hosts = 1, .bytes = bytes, \
        .seconds = times, .ci = ci, .bytes_count = 2, .seconds_count = 2, .ci_count = 2                   \
    }
static void measured_counts_more(void **state) {
    (void)state;
    int64_t bytes[] = {8, 8 << 20};
    double slow[] = {5e-3, 5e-3}, fast[] = {1e-9, 2e-9}, ci[] = {0, 0};
    char mpi[] = "openmpi", shm[] = "shm", op[] = "broadcast", chain[] = "chain", binary[] = "binary",
         linear[] = "linear";
    sup_collective_time rows[] = {
        MEASURED(mpi, chain, 4, slow),
        MEASURED(mpi, binary, 4, fast),
        MEASURED(mpi, linear, 8, fast), /* of others */
        MEASURED(shm, linear, 4, fast),
    };
    sup_profile profile = {.collectives = rows, .collectives_count = 4};
    sup_coll_source source = messages;
    source.profile = &profile;
    spread = 0.01;
    sup_coll_grid g = grid_of(&source, &broadcast);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    assert_int_equal(ranges(&g), 1);
    assert_string_equal(taken(&g, 4096), "binary");
    sup_coll_grid_free(&g);
    bytes[0] = 1 << 20; /* nothing is said about what is outside */
    g = grid_of(&source, &broadcast);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    assert_string_equal(taken(&g, 4096), "chain");
    assert_string_equal(taken(&g, 4 << 20), "binary");
    sup_coll_grid_free(&g);
}

/* Times that jump about: ranges stay few enough for a plan, whatever they cost. */
static void few_ranges_of_noise(void **state) {
    (void)state;
    enum { SIZES = 41 };
    int64_t bytes[SIZES];
    double up[SIZES], down[SIZES], ci[SIZES] = {0};
    char mpi[] = "openmpi", op[] = "broadcast", chain[] = "chain", binary[] = "binary", binomial[] = "binomial";
    spread = 0.01;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    size_t n = g.sizes < SIZES ? g.sizes : SIZES;
    for (size_t s = 0; s < n; s++) {
        bytes[s] = g.bytes[s];
        up[s] = s % 2 ? 1e-6 : 1e-5;
        down[s] = s % 2 ? 1e-5 : 1e-6;
    }
    sup_coll_grid_free(&g);
    double usual[SIZES];
    for (size_t s = 0; s < n; s++) usual[s] = 1e-4;
    sup_collective_time rows[] = {MEASURED(mpi, chain, 4, up), MEASURED(mpi, binary, 4, down),
                                  MEASURED(mpi, binomial, 4, usual)};
    for (int i = 0; i < 3; i++) rows[i].bytes_count = rows[i].seconds_count = rows[i].ci_count = n;
    sup_profile profile = {.collectives = rows, .collectives_count = 3};
    sup_coll_source source = messages;
    source.profile = &profile;
    source.model = NULL;
    g = grid_of(&source, &broadcast);
    assert_int_equal(sup_coll_grid_best(&g), SUP_OK);
    assert_true(ranges(&g) <= 6);
    sup_coll_grid_free(&g);
}

/* A segment as long as all that is cut is none: the same time, so that nothing is chosen for it. */
static void segments_that_cut_nothing(void **state) {
    (void)state;
    spread = 0;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    const sup_coll_candidate *whole = NULL, *cut = NULL;
    for (size_t i = 0; i < g.count; i++) {
        if (!strcmp(g.at[i].text, "pipeline")) whole = &g.at[i];
        if (!strcmp(g.at[i].text, "pipeline/64K")) cut = &g.at[i];
    }
    assert_true(whole && cut);
    for (size_t s = 0; s < g.sizes; s++)
        assert_true((whole->time[s].cost.value == cut->time[s].cost.value) == (g.bytes[s] <= 64 << 10));
    sup_coll_grid_free(&g);
}

/* ---- duels ---- */

/* The challenger and the usual measured: so many times what the model says. */
static void duel(sup_coll_grid *g, double first, double second, size_t expect) {
    sup_coll_tie ties[16];
    size_t count = sup_coll_grid_ties(g, 7, ties, 16);
    assert_int_equal(count, expect);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ties[i].grid, 7);
        assert_true(ties[i].from <= ties[i].at && ties[i].at < ties[i].to && ties[i].gain > 1.03);
        assert_int_equal(ties[i].duel.bytes, g->bytes[ties[i].at]);
        ties[i].duel.seconds[0] = first * g->at[ties[i].best].time[ties[i].at].predicted_s;
        ties[i].duel.seconds[1] = second * g->at[ties[i].usual].time[ties[i].at].predicted_s;
        ties[i].duel.ci[0] = ties[i].duel.ci[1] = 1e-9;
        sup_coll_grid_settle(g, &ties[i]);
    }
    assert_int_equal(sup_coll_grid_cover(g), SUP_OK);
}

static void duels(void **state) {
    (void)state;
    spread = 0.9;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    duel(&g, 1, 1, 4); /* linear, and chain against each of the three that are usual */
    assert_string_equal(taken(&g, 8), "linear");
    assert_string_equal(taken(&g, 4096), "chain");
    assert_string_equal(taken(&g, 8 << 20), "chain");
    size_t measured = 0;
    for (size_t s = 0; s < g.sizes; s++)
        for (size_t i = 0; i < g.count; i++) measured += !isnan(g.at[i].time[s].measured_s);
    assert_int_equal(measured, 8);
    sup_coll_grid_free(&g);
    g = grid_of(&messages, &broadcast);
    duel(&g, 100, 1, 4); /* the usual wins; what is then the best is not the same */
    assert_string_equal(taken(&g, 8), "usual");
    assert_string_equal(taken(&g, 65536), "usual");
    sup_coll_grid_free(&g);
    g = grid_of(&messages, &broadcast);
    duel(&g, NAN, 1, 4); /* nobody could: as before */
    assert_string_equal(taken(&g, 4096), "usual");
    sup_coll_grid_free(&g);
}

static void sentences(void **state) {
    (void)state;
    char text[SUP_COLL_SENTENCE];
    spread = 0.01;
    sup_coll_grid g = grid_of(&messages, &broadcast);
    sup_coll_sentence(&g, g.usual, text);
    assert_string_equal(text, "binomial to 24 KB, scatter-doubling to 384 KB, scatter-ring");
    sup_plan *plan = NULL;
    sup_diag diag = {0};
    assert_int_equal(sup_plan_new(-1, &diag, &plan), SUP_OK);
    assert_int_equal(sup_coll_grid_cover(&g), SUP_OK);
    sup_choosing c = {.processes = 4, .transport = "openmpi"};
    assert_int_equal(sup_coll_say(plan, &c, &g, 2, NULL), SUP_OK);
    assert_int_equal(plan->decisions_count, 1);
    const sup_plan_decision *d = &plan->decisions[0];
    assert_string_equal(d->about, "collectives");
    assert_string_equal(d->where, "broadcast of 4 processes over openmpi");
    assert_non_null(strstr(d->choice, "linear to "));
    assert_true(d->otherwise_s / d->predicted_s > 1.1 && isnan(d->measured_s));
    assert_non_null(strstr(d->reason, "by prediction; fewer processes were looked at, too: 2 numbers"));
    assert_true(d->beaten_count >= 3);
    for (size_t i = 1; i < d->beaten_count; i++) assert_true(d->beaten[i].predicted_s >= d->beaten[i - 1].predicted_s);
    sup_plan_free(plan);
    sup_coll_grid_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surely_faster),
        cmocka_unit_test(not_so_sure),
        cmocka_unit_test(not_known),
        cmocka_unit_test(few_borders),
        cmocka_unit_test(measured_counts_more),
        cmocka_unit_test(few_ranges_of_noise),
        cmocka_unit_test(segments_that_cut_nothing),
        cmocka_unit_test(duels),
        cmocka_unit_test(sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

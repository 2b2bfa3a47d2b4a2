/* Deciders on machines made by hand: each decides where what was measured says so beyond its interval, keeps the
 * default where it does not, and says why; plans are right, and the same again. */
#include "choose/choose.h"
#include "choose/decide.h"
#include "measure/lab/trial.h"
#include "plan/defaults.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD(P)                                                                                                  \
    "{\"kind\":\"superstep-profile\",\"schema\":1,\"created\":\"2026-01-31T12:00:00Z\",\"tool\":\"hand\","       \
    "\"signature\":{\"machine\":\"by hand\",\"topology\":\"aa\",\"cpu\":\"hand\",\"cores\":4,\"hosts\":1,"       \
    "\"processes\":" P ",\"transport\":\"shm\",\"policy\":\"compact 0-3\",\"placement\":[{\"host\":0,\"cores\":" \
    "[0,1,2,3]}]}"
#define NUMBER(v, ci) "{\"value\":" v ",\"ci\":" ci ",\"n\":9}"
/* latency and seconds a byte, for all pairs of 4 processes */
#define PAIRS(net, latency, byte)                                                                               \
    "{\"transport\":\"" net "\",\"processes\":4,\"levels\":[{\"name\":\"self\",\"size\":1,\"classes\":[0]},"    \
    "{\"name\":\"all\",\"size\":0,\"classes\":[1]}],\"classes\":[{\"name\":\"self\",\"measured\":2,\"overhead_" \
    "s\":" NUMBER("1e-7", "0") "},{\"name\":\"near\",\"measured\":2,\"overhead_s\":" NUMBER(                    \
        "1e-7", "0") ",\"latency_s\":" NUMBER(latency, "0") ",\"per_byte_s\":" NUMBER(byte, "0") "}]}"
#define EMPTY(net, time, ci) \
    "{\"transport\":\"" net  \
    "\",\"algorithm\":\"superstep\",\"processes\":4,\"payload_bytes\":0,\"time_s\":" NUMBER(time, ci) "}"
#define SHARE(net, engine, bytes, share, ci) \
    "{\"transport\":\"" net "\",\"engine\":\"" engine "\",\"bytes\":" bytes ",\"share\":" NUMBER(share, ci) "}"
#define TILE(strategy, shape, time, ci)                                                                             \
    "{\"kernel\":\"transpose\",\"size_class\":\"1024x1024x1 e8,8 w2\",\"strategy\":\"" strategy "\",\"workers\":2," \
    "\"shape\":" shape ",\"time_s\":" NUMBER(time, ci) "}"
#define BOTH ",\"pairs\":[" PAIRS("shm", "1e-6", "1e-10") "," PAIRS("openmpi", "2e-6", "2e-10") "]"
#define SHM_FASTER ",\"sync\":[" EMPTY("shm", "1e-6", "1e-8") "," EMPTY("openmpi", "3e-6", "1e-8") "]"

static sup_profile *profile_of(const char *text) {
    sup_json *doc = NULL;
    sup_profile *p = NULL;
    sup_diag diag = {0};
    if (sup_json_parse("hand", text, strlen(text), &diag, &doc) || sup_profile_parse(doc, true, &diag, &p))
        fail_msg("%s: %d: %s", diag.file, diag.line, diag.text);
    sup_json_free(doc);
    return p;
}

/* Who fights duels here: the first of each is so many times as fast as the second, in so many launches; 0: nobody. */
static struct fake {
    double ratio, ci;
    int launches, fought;
    sup_choose_duel last;
} fake;

static sup_status fight(void *context, const char *transport, sup_choose_duel *duels, size_t count, sup_diag *diag) {
    (void)context;
    (void)diag;
    assert_non_null(transport);
    for (size_t i = 0; i < count; i++) {
        fake.last = duels[i];
        fake.fought++;
        if (!fake.launches) continue;
        duels[i].seconds[0] = 1e-5;
        duels[i].seconds[1] = 1e-5 * fake.ratio;
        duels[i].ci[0] = duels[i].ci[1] = 1e-5 * fake.ci;
        duels[i].launches = fake.launches;
    }
    return SUP_OK;
}

static void fakes(double ratio, double ci, int launches) {
    fake = (struct fake){.ratio = ratio, .ci = ci, .launches = launches};
}

/* The plan of a profile; of one decider alone. */
static sup_plan *plan_by(const char *text, const sup_choose_options *o) {
    sup_profile *p = profile_of(text);
    sup_plan *plan = NULL;
    sup_diag diag = {0};
    sup_choose_lacks lacks;
    if (sup_choose(p, o, &diag, &plan, &lacks)) fail_msg("%s", diag.text);
    assert_int_equal(lacks.count, 0);
    assert_int_equal(sup_plan_check(plan, &diag), SUP_OK);
    sup_profile_free(p);
    return plan;
}

/* By the profile alone: duels confirm everything, and what nobody can fight is taken, too. */
static sup_plan *plan_of(const char *text, const char *net, int64_t processes, const char *only) {
    fakes(2, 0.01, 3);
    return plan_by(text,
                   &(sup_choose_options){
                       .transport = net, .processes = processes, .only = only, .duel = fight, .unconfirmed = true});
}

static sup_status choose_of(const sup_profile *p, const sup_choose_options *o, sup_diag *diag, sup_plan **out) {
    sup_choose_lacks lacks;
    return sup_choose(p, o, diag, out, &lacks);
}

static const sup_plan_decision *only_one(const sup_plan *plan, const char *about) {
    assert_int_equal(plan->decisions_count, 1);
    assert_string_equal(plan->decisions[0].about, about);
    assert_non_null(plan->decisions[0].reason);
    return &plan->decisions[0];
}

/* The default is kept, and the reason says so. */
static void keeps(const char *text, const char *net, const char *about, const char *choice) {
    sup_plan *plan = plan_of(text, net, 0, about);
    const sup_plan_decision *d = only_one(plan, about);
    assert_string_equal(d->choice, choice);
    assert_string_equal(d->choice, d->otherwise);
    assert_int_equal(strncmp(d->reason, "kept: ", 6), 0);
    assert_null(plan->bsp);
    assert_int_equal(plan->tiles_count, 0);
    sup_plan_free(plan);
}

static void transport(void **state) {
    (void)state;
    keeps(HEAD("4") BOTH SHM_FASTER "}", NULL, "transport", "shm");
    /* the same the other way round, messages included */
    sup_plan *plan =
        plan_of(HEAD("4") ",\"pairs\":[" PAIRS("shm", "2e-6", "2e-10") "," PAIRS(
                    "openmpi", "1e-6", "1e-10") "]"
                                                ",\"sync\":[" EMPTY("shm", "3e-6", "1e-8") "," EMPTY("openmpi", "1e-6",
                                                                                                     "1e-8") "]}",
                NULL, 0, "transport");
    const sup_plan_decision *d = only_one(plan, "transport");
    assert_string_equal(d->choice, "openmpi");
    assert_string_equal(d->otherwise, "shm");
    assert_string_equal(d->command, "superstep run --net openmpi");
    assert_true(fabs(d->measured_otherwise_s / d->measured_s - 3) < 1e-9);
    assert_true(d->otherwise_s / d->predicted_s > 2);
    assert_int_equal(d->beaten_count, 1);
    sup_plan_free(plan);
    /* faster supersteps, but slower messages: nobody knows what a program has more of */
    keeps(HEAD("4") ",\"pairs\":[" PAIRS("shm", "2e-6", "1e-10") "," PAIRS(
              "openmpi", "1e-6", "2e-10") "]"
                                          ",\"sync\":[" EMPTY("shm", "3e-6", "1e-8") "," EMPTY("openmpi", "1e-6",
                                                                                               "1e-8") "]}",
          NULL, "transport", "shm");
    /* faster within the interval */
    keeps(HEAD("4") ",\"pairs\":[" PAIRS("shm", "2e-6", "2e-10") "," PAIRS(
              "openmpi", "1e-6", "1e-10") "]"
                                          ",\"sync\":[" EMPTY("shm", "1.2e-6", "3e-7") "," EMPTY("openmpi", "1e-6",
                                                                                                 "1e-8") "]}",
          NULL, "transport", "shm");
}

#define SHARES(eager, bulk, ci)                                                                    \
    ",\"overlap\":[" SHARE("openmpi", "eager", "4096", "0.5",                                      \
                           "0.05") "," SHARE("openmpi", "bulk", "4096", "0.5",                     \
                                             "0.05") "," SHARE("openmpi", "eager", "65536", eager, \
                                                               ci) "," SHARE("openmpi", "bulk", "65536", bulk, ci) "]"

static void engine(void **state) {
    (void)state;
    keeps(HEAD("4") BOTH SHARES("0.9", "0.1", "0.05") "}", "openmpi", "engine", "eager");
    keeps(HEAD("4") BOTH SHARES("0.4", "0.6", "0.3") "}", "openmpi", "engine", "eager");
    sup_plan *plan = plan_of(HEAD("4") BOTH SHARES("0.1", "0.9", "0.05") "}", "openmpi", 0, "engine");
    const sup_plan_decision *d = only_one(plan, "engine");
    assert_string_equal(d->choice, "bulk");
    assert_true(fabs(d->otherwise_s / d->predicted_s - 1.9 / 1.1) < 1e-9);
    assert_int_equal(sup_plan_find_engine(plan, 1, 65536, 1, SUP_PLAN_EAGER), SUP_PLAN_BULK);
    assert_int_equal(sup_plan_find_engine(plan, 1, 65535, 1, SUP_PLAN_EAGER), SUP_PLAN_EAGER);
    /* what nobody decided is as it is without a plan */
    assert_int_equal(plan->bsp->progress, sup_plan_defaults.bsp->progress);
    assert_true(isnan(plan->bsp->spin_s));
    sup_plan_free(plan);
    /* nothing was measured of this transport: nothing is said */
    plan = plan_of(HEAD("4") BOTH "}", "openmpi", 0, "engine");
    assert_int_equal(plan->decisions_count, 0);
    sup_plan_free(plan);
}

static void counts(void **state) {
    (void)state;
    sup_plan *plan = plan_of(HEAD("4") BOTH SHM_FASTER "}", "openmpi", 0, "counts");
    const sup_plan_decision *d = only_one(plan, "counts");
    bool kept = !strcmp(d->choice, d->otherwise);
    assert_string_equal(d->otherwise, sup_plan_find_counts(NULL, 4));
    assert_string_equal(sup_plan_find_counts(plan, 4), d->choice);
    assert_string_equal(sup_plan_find_counts(plan, 5), sup_plan_find_counts(NULL, 5));
    assert_true(kept ? d->predicted_s == d->otherwise_s : d->predicted_s < d->otherwise_s);
    assert_int_equal(kept, plan->bsp == NULL);
    sup_plan_free(plan);
    /* a message to start costs much: log P of them are fewer than P - 1 */
    const char *dear =
        HEAD("4") ",\"pairs\":[{\"transport\":\"openmpi\",\"processes\":4,\"levels\":[{\"name\":\"self\","
                  "\"size\":1,\"classes\":[0]},{\"name\":\"all\",\"size\":0,\"classes\":[1]}],"
                  "\"classes\":[{\"name\":\"self\",\"measured\":2,\"overhead_s\":" NUMBER(
                      "1e-7",
                      "0") "},{\"name\":\"near\",\"measured\":2,\"overhead_s\":" NUMBER("1e-3",
                                                                                        "0") ",\"latency_"
                                                                                             "s\":" NUMBER(
                                                                                                 "1e-6",
                                                                                                 "0") ",\""
                                                                                                      "per"
                                                                                                      "_by"
                                                                                                      "te_"
                                                                                                      "s\""
                                                                                                      ":" NUMBER(
                                                                                                          "1e-12",
                                                                                                          "0") "}]}]}";
    plan = plan_of(dear, "openmpi", 0, "counts");
    d = only_one(plan, "counts");
    assert_string_equal(d->otherwise, "direct");
    assert_string_not_equal(d->choice, "direct");
    assert_string_equal(sup_plan_find_counts(plan, 4), d->choice);
    assert_string_equal(sup_plan_find_counts(plan, 3), "direct");
    assert_int_equal(plan->bsp->progress, sup_plan_defaults.bsp->progress);
    sup_plan_free(plan);
    plan = plan_of(HEAD("4") BOTH SHM_FASTER "}", NULL, 0, "counts"); /* shared memory counts nothing */
    assert_int_equal(plan->decisions_count, 0);
    sup_plan_free(plan);
}

static void tiles(void **state) {
    (void)state;
#define SWEEP(time, ci) \
    ",\"tiles\":[" TILE("horizontal", "[512,1024,1]", "1e-2", ci) "," TILE("contiguous", "[64,32,1]", time, ci) "]"
    sup_plan *plan = plan_of(HEAD("4") BOTH SWEEP("5e-3", "1e-4") "}", NULL, 0, "tiles");
    const sup_plan_decision *d = only_one(plan, "tiles");
    assert_string_equal(d->choice, "contiguous 64 × 32 × 1");
    assert_string_equal(d->otherwise, "one band a worker");
    assert_true(d->measured_otherwise_s == 2 * d->measured_s);
    assert_int_equal(plan->tiles_count, 1);
    assert_string_equal(plan->tiles[0].size_class, "1024x1024x1 e8,8 w2");
    assert_int_equal(plan->tiles[0].shape_count, 3);
    assert_int_equal(plan->tiles[0].shape[1], 32);
    sup_plan_free(plan);
    keeps(HEAD("4") BOTH SWEEP("9e-3", "1e-3") "}", NULL, "tiles", "found out by calls");
    keeps(HEAD("4") BOTH SWEEP("2e-2", "1e-4") "}", NULL, "tiles", "found out by calls");
    keeps(HEAD("4") BOTH SWEEP("9.9e-3", "1e-9") "}", NULL, "tiles", "found out by calls"); /* less than 3 % */
}

#define RATE(active, time)                                                                                 \
    "{\"active\":" active ",\"unit_s\":{\"segments\":[{\"x_lo\":4096,\"x_hi\":1048576,\"intercept\":" time \
    ",\"slope\":0,"                                                                                        \
    "\"residual\":0.01,\"n\":9}]}}"
#define KERNEL(more)                                                                                               \
    ",\"kernels\":[{\"name\":\"daxpy\",\"unit\":\"element\",\"bytes_per_unit\":24,\"flops_per_unit\":2,\"rates\":" \
    "[" RATE("1", "1e-9") "," RATE("4", "1e-9") more "]}]"

static void processes(void **state) {
    (void)state;
    keeps(HEAD("4") BOTH KERNEL("," RATE("2", "1e-9")) "}", NULL, "processes", "4");
    /* twice as many as cores, which together do a third more */
    sup_plan *plan = plan_of(HEAD("4") BOTH KERNEL("," RATE("8", "1.5e-9")) "}", NULL, 0, "processes");
    const sup_plan_decision *d = only_one(plan, "processes");
    assert_string_equal(d->choice, "8");
    assert_string_equal(d->otherwise, "4");
    assert_true(fabs(d->otherwise_s / d->predicted_s - 4.0 / 3) < 1e-6);
    assert_string_equal(d->command, "superstep run -n 8");
    sup_plan_free(plan);
    /* fewer, where all together are slower than half of them */
    plan =
        plan_of(HEAD("4") BOTH
                ",\"kernels\":[{\"name\":\"daxpy\",\"unit\":\"element\",\"bytes_per_unit\":24,"
                "\"flops_per_unit\":2,\"rates\":[" RATE("1", "1e-9") "," RATE("2", "1e-9") "," RATE("4", "4e-9") "]}]}",
                NULL, 0, "processes");
    assert_string_equal(only_one(plan, "processes")->choice, "2");
    sup_plan_free(plan);
}

/* Of all processes, of fewer, of one; twice the same; names that are none. */
static void whole(void **state) {
    (void)state;
    const char *text = HEAD("4") BOTH SHM_FASTER "}";
    sup_profile *p = profile_of(text);
    for (int64_t n = 1; n <= 4; n++) {
        sup_plan *a = plan_of(text, NULL, n, NULL), *b = plan_of(text, NULL, n, NULL);
        char *x, *y;
        sup_diag diag = {0};
        assert_int_equal(a->signature.processes, n);
        assert_int_equal(a->signature.policy != NULL, n == 4);
        assert_int_equal(a->signature.placement_count, n == 4);
        assert_int_equal(sup_record_set_string(&b->created, a->created), SUP_OK);
        assert_int_equal(sup_plan_text(a, &diag, &x, NULL), SUP_OK);
        assert_int_equal(sup_plan_text(b, &diag, &y, NULL), SUP_OK);
        assert_string_equal(x, y);
        free(x);
        free(y);
        sup_plan_free(a);
        sup_plan_free(b);
    }
    sup_plan *none = NULL;
    sup_diag diag = {0};
    assert_int_equal(choose_of(p, &(sup_choose_options){.processes = 5}, &diag, &none), SUP_EINVAL);
    assert_int_equal(choose_of(p, &(sup_choose_options){.transport = "mpich"}, &diag, &none), SUP_ENOENT);
    assert_int_equal(choose_of(p, &(sup_choose_options){.only = "tiles,steam"}, &diag, &none), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "steam"));
    assert_int_equal(choose_of(p, &(sup_choose_options){.only = ""}, &diag, &none), SUP_EINVAL);
    assert_int_equal(choose_of(p, &(sup_choose_options){.only = "tile"}, &diag, &none), SUP_EINVAL);
    assert_null(none);
    sup_profile_free(p);
}

/* Intervals that meet, or less than 3 %, are no gain. */
static void better(void **state) {
    (void)state;
    assert_true(sup_choose_better((sup_prediction){1, 0.9, 1.1}, (sup_prediction){2, 1.8, 2.2}));
    assert_false(sup_choose_better((sup_prediction){1, 0.5, 1.9}, (sup_prediction){2, 1.8, 2.2}));
    assert_false(sup_choose_better((sup_prediction){1, 1, 1}, (sup_prediction){1.02, 1.02, 1.02}));
    assert_false(sup_choose_better((sup_prediction){2, 2, 2}, (sup_prediction){1, 1, 1}));
    assert_false(sup_choose_better((sup_prediction){NAN, NAN, NAN}, (sup_prediction){1, 1, 1}));
    assert_false(sup_choose_better((sup_prediction){0, 0, 0}, (sup_prediction){1, 1, 1}));
}

/* ---- duels ---- */

#define BULK HEAD("4") BOTH SHARES("0.1", "0.9", "0.05") "}"
static const sup_choose_options with_duels = {.transport = "openmpi", .only = "engine", .duel = fight};

static void a_duel_confirms(void **state) {
    (void)state;
    fakes(1.5, 0.01, 3);
    sup_plan *plan = plan_by(BULK, &with_duels);
    const sup_plan_decision *d = only_one(plan, "engine");
    assert_int_equal(fake.fought, 1);
    assert_int_equal(fake.last.kind, SUP_DUEL_STEP);
    assert_int_equal(fake.last.bytes, 65536);
    assert_string_equal(fake.last.side[0].engine, "bulk");
    assert_string_equal(fake.last.side[1].engine, "eager");
    assert_string_equal(d->choice, "bulk");
    assert_null(d->proposed);
    assert_int_equal(d->duels_count, 1);
    assert_true(d->duels[0].won && d->duels[0].launches == 3 && fabs(d->duels[0].otherwise_s - 1.5e-5) < 1e-12);
    assert_true(sup_plan_decision_confirmed(d) && d->gain_low > 1 && d->gain_high > d->gain_low);
    assert_int_equal(sup_plan_find_engine(plan, 1, 65536, 1, SUP_PLAN_EAGER), SUP_PLAN_BULK);
    sup_plan_free(plan);
}

/* The default stays, and the plan says why, with the numbers. */
static void lost(const char *said, size_t kept) {
    sup_plan *plan = plan_by(BULK, &with_duels);
    const sup_plan_decision *d = only_one(plan, "engine");
    assert_string_equal(d->choice, "eager");
    assert_string_equal(d->otherwise, "eager");
    assert_string_equal(d->proposed, "bulk");
    assert_null(plan->bsp);
    assert_int_equal(d->duels_count, kept);
    assert_false(kept && d->duels[0].won);
    assert_false(sup_plan_decision_confirmed(d));
    assert_int_equal(strncmp(d->reason, "kept: ", 6), 0);
    if (!strstr(d->reason, said)) fail_msg("%s", d->reason);
    sup_plan_free(plan);
}

static void a_duel_contradicts(void **state) {
    (void)state;
    fakes(0.8, 0.01, 3);
    lost("was 0.80 × in a duel of 3 launches", 1);
    fakes(1.5, 0.3, 3); /* faster, but within the intervals of the two */
    lost("was 1.50 × in a duel of 3 launches", 1);
    fakes(1.02, 0.001, 3); /* less than 3 % */
    lost("was 1.02 ×", 1);
    fakes(1.5, 0.01, 2); /* launches differ more than two show */
    lost("no duel has confirmed", 0);
    fakes(1.5, 0.01, 0); /* nobody could */
    lost("no duel has confirmed", 0);
}

static void without_duels(void **state) {
    (void)state;
    sup_choose_options o = {.transport = "openmpi", .only = "engine"};
    sup_plan *plan = plan_by(BULK, &o); /* of another machine: the default stays */
    assert_string_equal(only_one(plan, "engine")->choice, "eager");
    assert_string_equal(only_one(plan, "engine")->proposed, "bulk");
    assert_null(plan->bsp);
    sup_plan_free(plan);
    o.unconfirmed = true; /* asked for: taken, and marked */
    plan = plan_by(BULK, &o);
    assert_string_equal(only_one(plan, "engine")->choice, "bulk");
    assert_false(sup_plan_decision_confirmed(&plan->decisions[0]));
    assert_int_equal(plan->decisions[0].duels_count, 0);
    sup_plan_free(plan);
    fakes(0.8, 0.01, 3); /* who asks for it, and fights: the duel counts */
    o.duel = fight;
    plan = plan_by(BULK, &o);
    assert_string_equal(only_one(plan, "engine")->choice, "eager");
    sup_plan_free(plan);
}

/* A gain beyond its own interval, but inside that of the other side. */
static void the_interval_of_either_side_counts(void **state) {
    (void)state;
#define SIDES(bands_ci, best_ci)                                                                                    \
    ",\"tiles\":[" TILE("horizontal", "[512,1024,1]", "1e-2", bands_ci) "," TILE("contiguous", "[64,32,1]", "7e-3", \
                                                                                 best_ci) "]"
    keeps(HEAD("4") BOTH SIDES("4e-3", "1e-5") "}", NULL, "tiles", "found out by calls");
    keeps(HEAD("4") BOTH SIDES("1e-5", "4e-3") "}", NULL, "tiles", "found out by calls");
    sup_plan *plan = plan_of(HEAD("4") BOTH SIDES("1e-3", "1e-3") "}", NULL, 0, "tiles");
    assert_string_equal(only_one(plan, "tiles")->choice, "contiguous 64 × 32 × 1");
    sup_plan_free(plan);
}

/* ---- the gate ---- */

#define FOUND(launches, values)                                                                            \
    "\"found\":[{\"launch\":[" launches "],\"n\":[" launches "],\"low\":[" values "],\"typical\":[" values \
    "],\"bad\":[" values "]}]}"
#define VISIT(kind, net, launches, values) \
    "{\"kind\":\"" kind "\",\"transport\":\"" net "\",\"group\":2,\"ranks\":[0,2],\"bytes\":64," FOUND(launches, values)
#define ONE(kind, net) VISIT(kind, net, "1", "1e-6")
#define THREE(kind, net) VISIT(kind, net, "1,2,3", "1e-6,1e-6,1e-6")
#define QUALITY(complete) ",\"quality\":{\"rejection_rate\":0,\"spent_s\":20,\"complete\":" complete "}"

static size_t lacks_of(const char *text, const char *only, sup_choose_lacks *lacks, size_t *decisions) {
    sup_profile *p = profile_of(text);
    sup_plan *plan = NULL;
    sup_diag diag = {0};
    sup_choose_options o = {.transport = "openmpi", .only = only, .duel = fight, .unconfirmed = true};
    fakes(2, 0.01, 3);
    if (sup_choose(p, &o, &diag, &plan, lacks)) fail_msg("%s", diag.text);
    *decisions = plan->decisions_count;
    sup_plan_free(plan);
    sup_profile_free(p);
    return lacks->count;
}

static void too_few_launches(void **state) {
    (void)state;
    sup_choose_lacks lacks;
    size_t decisions;
    char text[SUP_LACKS_TEXT];
    const char *few = HEAD("4") BOTH SHARES("0.1", "0.9", "0.05")
        QUALITY("true") ",\"visits\":[" ONE("overlap", "openmpi") "," THREE("round trip", "openmpi") "]}";
    assert_int_equal(lacks_of(few, "engine,transport", &lacks, &decisions), 1);
    assert_int_equal(decisions, 1); /* of the other, which has enough */
    assert_int_equal(fake.fought, 0);
    assert_string_equal(lacks.at[0].section, "overlap");
    assert_int_equal(lacks.at[0].evidence.launches, 1);
    assert_true(lacks.missing_s == 40); /* two more like the first */
    assert_string_equal(sup_choose_lacks_text(&lacks, text),
                        "measure longer: about 40 s are missing (overlap over openmpi: 1 of 3 launches)");
    assert_int_equal(lacks_of(few, "transport", &lacks, &decisions), 0);
    /* over the other transport nothing is said of this one */
    const char *other = HEAD("4") BOTH SHARES("0.1", "0.9", "0.05")
        QUALITY("true") ",\"visits\":[" ONE("overlap", "shm") "," THREE("overlap", "openmpi") "," THREE("round trip",
                                                                                                        "openmpi") "]}";
    assert_int_equal(lacks_of(other, "engine", &lacks, &decisions), 0);
    assert_int_equal(decisions, 1);
}

static void an_incomplete_section(void **state) {
    (void)state;
    sup_choose_lacks lacks;
    size_t decisions;
    char text[SUP_LACKS_TEXT];
    const char *none = HEAD("4") BOTH SHARES("0.1", "0.9", "0.05")
        QUALITY("false") ",\"visits\":[" THREE("round trip", "openmpi") "," THREE("exchange", "openmpi") "]}";
    assert_int_equal(lacks_of(none, "engine", &lacks, &decisions), 1);
    assert_int_equal(decisions, 0);
    assert_string_equal(lacks.at[0].section, "overlap");
    assert_false(lacks.at[0].evidence.complete);
    assert_true(lacks.missing_s >= 20);
    /* these have seen several rounds: that something else is left does not matter to them */
    assert_int_equal(lacks_of(none, "transport", &lacks, &decisions), 0);
    /* nothing is known of launches, and it is not complete: it cannot be gone on with */
    assert_int_equal(lacks_of(HEAD("4") BOTH QUALITY("false") "}", "transport", &lacks, &decisions), 2);
    assert_true(isnan(lacks.missing_s));
    assert_int_equal(strncmp(sup_choose_lacks_text(&lacks, text), "measure anew", 12), 0);
    assert_int_equal(lacks_of(HEAD("4") BOTH QUALITY("true") "}", "transport", &lacks, &decisions), 0);
}

/* A kind of point that times something belongs to a section; else nobody would ask how often it was seen. */
static void every_kind_has_a_section(void **state) {
    (void)state;
    for (int k = 0; k < SUP_TRIAL_KINDS; k++) {
        const sup_trial_row *row = &sup_trial_kinds[k];
        if ((row->term || row->quantities || row->share > 0) && !sup_visited_section(row->name))
            fail_msg("%s", row->name);
        if (row->once) assert_null(sup_visited_section(row->name));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transport),
        cmocka_unit_test(engine),
        cmocka_unit_test(counts),
        cmocka_unit_test(tiles),
        cmocka_unit_test(processes),
        cmocka_unit_test(whole),
        cmocka_unit_test(better),
        cmocka_unit_test(a_duel_confirms),
        cmocka_unit_test(a_duel_contradicts),
        cmocka_unit_test(without_duels),
        cmocka_unit_test(the_interval_of_either_side_counts),
        cmocka_unit_test(too_few_launches),
        cmocka_unit_test(an_incomplete_section),
        cmocka_unit_test(every_kind_has_a_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

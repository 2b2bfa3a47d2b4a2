/* The law of measuring (measure/campaign/budget.h): with what visits cost on real machines, the first round of every
 * section fits into its share of a third of the usual time, for few and many processes, on every transport; and what
 * does not fit is left out, the rest stays, and it is said. */
#include "measure/campaign/sections.h"
#include "measure/comp/comp.h"

#include "comp_machine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct world {
    sup_lab lab;
    sup_session *session;
    sup_profile *profile;
    sup_rank_place *places;
    double slower; /* visits take so many times as long */
} world;

/* What a first visit takes, with looking for how many repetitions make a batch: twice what was seen of two processes on
 * two cores. More processes are told one after the other what comes next, and what each of them sends
 * to all takes longer. */
static double cost_of(const sup_trial *t, int size, bool mpi) {
    double bytes = (double)t->bytes, start = (mpi ? 0.6e-3 : 0.4e-3) + 20e-6 * (t->groups * t->group - 2);
    double copies = bytes * 0.2e-9 * (mpi ? 2.0 : 1.0), all = 1.0 + log2(size);
    switch (t->kind) {
    case SUP_TRIAL_RATE: return 2e-3 + 4.0 * bytes * fmax(1.0, t->group / 4.0) * 0.2e-9;
    case SUP_TRIAL_INTERRUPTIONS: return 0.011;
    case SUP_TRIAL_SEGMENT:
    case SUP_TRIAL_FETCH: return 0.03;
    case SUP_TRIAL_EAGER: return 0.5e-3;
    case SUP_TRIAL_OVERLAP: return 3e-3 + 60.0 * copies;
    case SUP_TRIAL_FIRST: /* three batches: walking through 8 MB, new pages, coming late */
        return start + 3.0 * (t->number == SUP_FIRST_USE ? 8e-3 : 1e-6 * t->stride) + 30.0 * copies * all;
    case SUP_TRIAL_STEP: return start + 6.0 * copies * all;
    case SUP_TRIAL_COLLECTIVE: return start + 4.0 * copies * all;
    default: return start + 6.0 * copies;
    }
}

/* Of algorithms a third is near the best. */
static double times_best(const char *algorithm) {
    unsigned h = 0;
    for (const char *c = algorithm; *c; c++) h = 31 * h + (unsigned char)*c;
    return 1.0 + h % 3;
}

static double value_of(const sup_trial *t) {
    if (t->kind == SUP_TRIAL_EAGER) return t->bytes < 4096;
    if (t->kind == SUP_TRIAL_SEGMENT || t->kind == SUP_TRIAL_FETCH) return 0.0;
    double seconds = 1e-6 * (1.0 + 0.1 * t->group) + (double)t->bytes * (t->bytes > 65536 ? 0.2e-9 : 0.1e-9);
    return t->kind == SUP_TRIAL_COLLECTIVE ? seconds * times_best(t->kernel) : seconds;
}

static sup_status visit(sup_lab *lab, sup_point *p, sup_diag *diag) {
    world *w = (world *)lab;
    (void)diag;
    p->visit_s = w->slower * cost_of(&p->trial, lab->size, lab->transport && strcmp(lab->transport, "shm") != 0);
    for (int v = 0; v < p->values; v++)
        for (int b = 0; b < 4; b++)
            if (sup_point_add(p, v, value_of(&p->trial) * (1.0 + 0.001 * b + 0.01 * v))) return SUP_ENOMEM;
    return SUP_OK;
}

static world *open_world(int size, const char *transport) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->slower = 1.0;
    w->lab = (sup_lab){.size = size, .transport = transport, .visit = visit};
    w->lab.budget.part_s = sup_budget_part_s(size);
    w->places = calloc((size_t)size, sizeof *w->places);
    for (int i = 0; i < size; i++) w->places[i] = (sup_rank_place){.cpu = i, .core = i, .package = i / 32};
    w->lab.places = w->places;
    sup_session_options o = sup_session_defaults();
    assert_int_equal(sup_session_open(&o, NULL, &w->session), SUP_OK);
    assert_int_equal(sup_store_new(1, &w->lab.store), SUP_OK);
    assert_int_equal(sup_profile_new(-1, NULL, &w->profile), SUP_OK);
    return w;
}

static void close_world(world *w) {
    sup_store_free(w->lab.store);
    sup_session_close(w->session);
    sup_profile_free(w->profile);
    free(w->places);
    free(w);
}

static void ask(world *w) {
    const sup_sections_options options = {0};
    sup_budget_begin(&w->lab.budget);
    sup_status status = sup_sections_ask(&w->lab, &options, w->session, w->profile, NULL);
    assert_true(status == SUP_OK || status == SUP_ETIMEOUT);
}

/* Of each section: that it fits, and that nothing had to be left out for it. */
static double check_shares(const world *w, double part_s) {
    const sup_budget *b = &w->lab.budget;
    double sum = 0.0;
    for (int i = 0; i < SUP_BUDGET_ROWS; i++) {
        const sup_budget_row *row = &sup_budget_rows[i];
        if (b->spent_s[i] > row->share * part_s / 3.0 || b->left_out[i])
            fail_msg("%s, %d processes, %s: %lld points take %.3f s, %lld are left out, its share is %.3f s",
                     w->lab.transport ? w->lab.transport : "computation", w->lab.size, row->name,
                     (long long)b->asked[i], b->spent_s[i], (long long)b->left_out[i], row->share * part_s / 3.0);
        sum += b->spent_s[i];
    }
    return sum;
}

static const int sizes[] = {2, 4, 16, 64};
static const char *const transports[] = {"shm", "openmpi", "mpich"};

static double round_of_rates(int cores) {
    char text[96];
    machine m;
    double part_s = sup_budget_part_s(cores);
    snprintf(text, sizeof text, "pack:1 l3:1(size=33554432) l2:%d(size=1048576) l1:1(size=32768) core:1 pu:1", cores);
    machine_make(&m, text);
    sup_comp_kernel kernels[32];
    size_t count = 0;
    for (size_t i = 0; sup_kernels[i]; i++)
        if (sup_kernel_is_usual(sup_kernels[i])) kernels[count++] = (sup_comp_kernel){sup_kernels[i], NULL};
    world *w = open_world(1, NULL);
    w->lab.budget.part_s = part_s;
    sup_comp_options o = options_for(&m, kernels, count);
    o.deep = false;
    assert_int_equal(sup_comp_set_make(w->session, &o, NULL, &m.set), SUP_OK);
    sup_budget_begin(&w->lab.budget);
    sup_budget_enter(&w->lab.budget, SUP_MEASURE_KERNELS);
    assert_int_equal(sup_comp_ask(&w->lab, &m.set, w->session, NULL), SUP_OK);
    double sum = check_shares(w, part_s);
    close_world(w);
    machine_free(&m);
    return sum;
}

/* One to three transports: what all first rounds take together, and what was asked for at all. */
static void first_rounds_fit(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double sum = round_of_rates(sizes[i]);
        for (int k = 0; k < 3; k++) {
            world *w = open_world(sizes[i], transports[k]);
            ask(w);
            sum += check_shares(w, sup_budget_part_s(sizes[i]));
            assert_true(w->profile->exchanges_count >= 10 && w->profile->collectives_count >= 30);
            assert_true(w->profile->pairs_count == 1 && w->profile->overlap_count == 6 && w->profile->sync_count > 3);
            assert_true(w->profile->first_count == 1 && w->profile->first[0].late_s_count == 3);
            close_world(w);
            double third = sup_budget_part_s(sizes[i]) * (k + 2) / 3.0;
            if (sum > 0.75 * third) /* the rest is for what comes */
                fail_msg("%d processes, %d transports: %.2f s of %.2f s", sizes[i], k + 1, sum, third);
        }
    }
}

static bool said(const world *w, const char *section) {
    size_t count;
    const sup_warning *list = sup_session_warnings(w->session, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].code, "left-out") && strstr(list[i].text, section)) return true;
    return false;
}

/* A machine on which everything takes ten times as long. */
static void the_rest_is_left_out(void **state) {
    (void)state;
    world *w = open_world(16, "openmpi");
    w->slower = 10.0;
    ask(w);
    double sum = 0.0, most = 0.0;
    for (size_t i = 0; i < sup_store_count(w->lab.store); i++) {
        const sup_point *p = sup_store_at(w->lab.store, i);
        sum += p->visit_s;
        most = fmax(most, p->visit_s);
    }
    assert_true(sum < sup_budget_part_s(16) / 3.0 + SUP_BUDGET_ROWS * most);
    sup_lab_say_left_out(&w->lab, w->session);
    assert_true(said(w, "collectives") && said(w, "exchanges"));
    assert_false(w->lab.budget.late);
    size_t before = sup_store_count(w->lab.store);
    ask(w); /* the next launch: what is there costs as much, so nothing is added */
    assert_int_equal(sup_store_count(w->lab.store), before);
    w->lab.budget.deep = SUP_MEASURE_COLLECTIVES; /* by name: without limit, and more of it */
    ask(w);
    assert_true(sup_store_count(w->lab.store) > before + 100);
    close_world(w);
}

/* On two hosts, where everything takes a hundred times as long: both channels are there, with what all tables have. */
static void channels_are_there_whatever_they_cost(void **state) {
    (void)state;
    world *w = open_world(4, "openmpi");
    w->slower = 100.0;
    for (int i = 2; i < 4; i++) w->places[i].host = 1;
    ask(w);
    assert_int_equal(w->profile->channels_count, 2);
    for (int i = 0; i < 2; i++) {
        const sup_channel *c = &w->profile->channels[i];
        assert_int_equal(c->number, i);
        assert_non_null(c->overhead_s);
        assert_non_null(c->transfer);
        assert_true(c->transfer->bytes_count >= 6 && c->transfer->rows_count >= 1);
    }
    sup_lab_say_left_out(&w->lab, w->session);
    assert_true(said(w, "channels"));
    close_world(w);
}

static void shares_are_less_than_all(void **state) {
    (void)state;
    double sum = 0.0;
    for (const sup_budget_row *r = sup_budget_rows; r->name; r++) {
        assert_int_equal(sup_budget_bit(r->name), r->bit);
        if (r->bit != SUP_MEASURE_KERNELS) sum += r->share;
    }
    assert_true(sum <= 0.75);
    assert_int_equal(sup_budget_bit("all"), SUP_MEASURE_ALL);
    assert_int_equal(sup_budget_bit("none"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_rounds_fit),
        cmocka_unit_test(the_rest_is_left_out),
        cmocka_unit_test(channels_are_there_whatever_they_cost),
        cmocka_unit_test(shares_are_less_than_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

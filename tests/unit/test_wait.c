/* Waiting (net/wait.h): who sleeps is woken by a ring and by nothing else, none is lost, and what is learned from
 * waits. A lost ring would cost a second each time, and the test end by its time limit. */
#include "net/wait.h"

#include "base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TURNS = 20000, SLEEPERS = 5, SECOND_NS = 999999999 };

/* Sleeps at once, and naps as long as a nap can be. */
static const sup_patience sleepy = {.nap_ns = SECOND_NS, .nap_max_ns = SECOND_NS};

typedef struct post {
    _Atomic uint32_t number;
    sup_bell bell;
    sup_patience patience;
    _Atomic int woken;
} post;

static void await(post *p, uint32_t wanted) {
    sup_patience patience = p->patience;
    sup_wait w = SUP_WAIT_INIT;
    while (atomic_load_explicit(&p->number, memory_order_acquire) < wanted) sup_wait_pause(&w, &patience, &p->bell);
    sup_wait_end(&w, &patience, &p->bell);
}

static void raise_number(post *p) {
    atomic_fetch_add_explicit(&p->number, 1, memory_order_release);
    sup_bell_ring(&p->bell);
}

static void *sleeper(void *argument) {
    post *p = argument;
    await(p, 1);
    atomic_fetch_add(&p->woken, 1);
    return NULL;
}

static void one_ring_wakes_all(void **state) {
    (void)state;
    post p = {.patience = sleepy};
    pthread_t t[SLEEPERS];
    for (int i = 0; i < SLEEPERS; i++) assert_int_equal(pthread_create(&t[i], NULL, sleeper, &p), 0);
    while (!atomic_load(&p.bell.wanted)) sup_cpu_relax(); /* one of them at least is on its way to sleep */
    assert_int_equal(atomic_load(&p.woken), 0);
    raise_number(&p);
    for (int i = 0; i < SLEEPERS; i++) assert_int_equal(pthread_join(t[i], NULL), 0);
    assert_int_equal(atomic_load(&p.woken), SLEEPERS);
}

/* One that was about to sleep when its wait ended leaves while another, in the next round already, sleeps. */
static void who_leaves_disarms_nobody(void **state) {
    (void)state;
    post p = {.patience = sleepy};
    sup_patience patience = sleepy;
    sup_wait w = SUP_WAIT_INIT;
    pthread_t other;
    sup_wait_pause(&w, &patience, &p.bell);
    assert_int_equal(atomic_load(&p.bell.wanted), 1);
    sup_bell_ring(&p.bell); /* its round is over */
    assert_int_equal(atomic_load(&p.bell.wanted), 0);
    assert_int_equal(pthread_create(&other, NULL, sleeper, &p), 0);
    while (!atomic_load(&p.bell.wanted)) sup_cpu_relax();
    sup_wait_end(&w, &patience, &p.bell);
    assert_int_equal(atomic_load(&p.bell.wanted), 1);
    raise_number(&p);
    assert_int_equal(pthread_join(other, NULL), 0);
}

static void to_ring_for_nobody_changes_nothing(void **state) {
    (void)state;
    sup_bell bell = {0};
    sup_bell_ring(&bell);
    assert_int_equal(atomic_load(&bell.wanted), 0);
    sup_patience patience = sleepy;
    sup_wait w = SUP_WAIT_INIT;
    sup_wait_pause(&w, &patience, &bell); /* will sleep at the next turn, but the condition holds before that */
    assert_int_equal(atomic_load(&bell.wanted), 1);
    sup_wait_end(&w, &patience, &bell);
    assert_int_equal(atomic_load(&bell.wanted), 1); /* others may sleep there; the next ring finds out */
    sup_bell_ring(&bell);
    assert_int_equal(atomic_load(&bell.wanted), 0);
}

typedef struct table {
    post there, back;
} table;

static void *partner(void *argument) {
    table *t = argument;
    for (uint32_t i = 1; i <= TURNS; i++) {
        await(&t->there, i);
        raise_number(&t->back);
    }
    return NULL;
}

static void play(sup_patience patience) {
    table t = {.there.patience = patience, .back.patience = patience};
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, partner, &t), 0);
    for (uint32_t i = 1; i <= TURNS; i++) {
        raise_number(&t.there);
        await(&t.back, i);
    }
    assert_int_equal(pthread_join(other, NULL), 0);
}

static void no_ring_is_lost(void **state) {
    (void)state;
    sup_patience core = SUP_PATIENCE_CORE, crowd = SUP_PATIENCE_CROWD, shortly = sleepy;
    core.nap_ns = core.nap_max_ns = crowd.nap_ns = crowd.nap_max_ns = SECOND_NS;
    shortly.looks = 1;
    shortly.spin_ns = 500;
    play(sleepy);
    play(shortly);
    play(core);
    play(crowd);
}

/* A wait that began so long ago, and ended while it was looked for or not. */
static void wait_ended(sup_patience *p, int64_t ns, bool slow) {
    sup_wait w = {.since_ns = sup_clock_ns() - ns, .slow = slow};
    sup_wait_end(&w, p, NULL);
}

static void looks_for_longer_where_that_helps(void **state) {
    (void)state;
    sup_patience p = SUP_PATIENCE_CORE;
    for (int i = 0; i < 40; i++) wait_ended(&p, 100000, false);
    assert_in_range(p.usual_ns, 90000, p.spin_max_ns);
    assert_int_equal(p.in_vain, 0);
    for (int i = 0; i < 40; i++) wait_ended(&p, 100000000, false);
    assert_in_range(p.usual_ns, 0, p.spin_max_ns); /* however long they are */
    for (int i = 0; i < 40; i++) wait_ended(&p, 10000000, true);
    assert_in_range(p.usual_ns, 0, 100);
    assert_true(p.in_vain > 0);
}

static void expensive_yields_are_left_for_a_while(void **state) {
    (void)state;
    sup_patience p = SUP_PATIENCE_CROWD;
    uint32_t before = 0;
    for (int i = 0; i < 100; i++) {
        p.tried_ns = sup_clock_ns() - 1000000000; /* the waits since then took a second */
        wait_ended(&p, 0, true);
        if (p.no_yields > before) before = p.no_yields;
    }
    assert_true(before >= 64); /* more and more of them */
    p.no_yield = 0;
    for (int i = 0; i < 100; i++) {
        p.tried_ns = sup_clock_ns(); /* and now no time at all */
        wait_ended(&p, 0, true);
    }
    assert_int_equal(p.no_yield, 0);
    assert_int_equal(p.no_yields, 0);
}

typedef struct told {
    sup_core_share share;
    int64_t now;
    sup_core_counts counts;
} told;

enum { MS = 1000000 };

/* So long later the thread has run for so much more, waited for its core for so much more, and was switched out. */
static bool judged(told *t, int64_t later, int64_t since, int64_t ran, int64_t kept, int64_t switched) {
    t->now += later;
    t->counts.ran_ns += ran;
    t->counts.kept_ns += kept;
    t->counts.switched += switched;
    return sup_core_judge(&t->share, t->now, since, &t->counts);
}

/* A process beside a busy one is kept waiting for half of the time; the core then counts as wanted for longer and
 * longer, until the process has looked for a while and nobody came. */
static void who_is_kept_waiting_has_neighbours(void **state) {
    (void)state;
    told t = {.now = 50 * MS, .counts = {30 * MS, 7 * MS, 12, 40}};
    assert_false(judged(&t, 0, 0, 0, 0, 0)); /* what was before the first question says nothing */
    for (int i = 0; i < 20; i++) assert_false(judged(&t, 5 * MS, 0, 4 * MS, MS / 2, 1));
    for (int i = 0; i < 20; i++) /* asleep for a second at a time, awake for moments */
        assert_false(judged(&t, 1000 * MS, 0, MS / 20, MS / 20, 1));
    for (int i = 0; i < 20; i++) /* a host that took its time to give the core back: nobody took it from the thread */
        assert_false(judged(&t, 50 * MS, 0, MS, 5 * MS, 0));
    int64_t held = 0;
    for (int i = 0; i < 20; i++) { /* so much also where it was switched out for a moment besides */
        t.counts.slept++;
        assert_false(judged(&t, 50 * MS, 0, MS, 5 * MS, 1));
    }
    for (int i = 0; i < 6; i++) { /* kept waiting whenever it ran, and not because it slept */
        assert_true(judged(&t, 50 * MS, 0, 4 * MS, 4 * MS, 1));
        assert_true(t.share.until_ns - t.now >= held);
        held = t.share.until_ns - t.now;
    }
    assert_in_range(held, 100 * MS, 1000 * MS);
    assert_true(judged(&t, held - 1, 0, 0, 0, 0));
    assert_false(judged(&t, MS + 1, 0, MS, 0, 0));
    assert_true(judged(&t, 8 * MS, 0, 4 * MS, 4 * MS, 2)); /* again: at once for long */
    assert_true(t.share.until_ns - t.now >= held);
    t.now = t.share.until_ns;
    for (int64_t since = t.now - MS, i = 0; i < 20; i++) assert_false(judged(&t, 2 * MS, since, 2 * MS, 0, 0));
    assert_true(judged(&t, 8 * MS, 0, 4 * MS, 4 * MS, 1)); /* alone for 40 ms: for short */
    assert_true(t.share.until_ns - t.now < held);
    t.counts.kept_ns = -1; /* a kernel that does not say */
    assert_true(judged(&t, 1000 * MS, 0, 0, 0, 0));
    assert_true(sup_core_wanted(&t.share, t.now + 1, 0));
}

/* Does a wait that began so long ago go on without sleeping? The kernel has just been asked, and said so. */
static bool goes_on(sup_patience patience, int64_t ago, bool wanted) {
    enum { SOON = 1000000000, MANY = 1023 };
    int64_t now = sup_clock_ns();
    patience.share = (sup_core_share){.at_ns = now + SOON, .until_ns = wanted ? now + SOON : 0};
    sup_wait w = {.since_ns = now - ago, .turns = MANY, .yields = MANY, .stopped = patience.looks == 0};
    sup_wait_slow(&w, &patience, NULL);
    return !w.armed;
}

/* However it waits: between looks, or between yields, also where yields were found to be expensive. */
static void a_core_of_its_own_is_kept(void **state) {
    (void)state;
    const sup_patience ways[] = {SUP_PATIENCE_CORE,
                                 SUP_PATIENCE_ROOM,
                                 SUP_PATIENCE_POOL,
                                 SUP_PATIENCE_FAR,
                                 {.yields = true, .look_ns = SUP_LOOK_NS},
                                 {.yields = true, .look_ns = SUP_LOOK_NS, .no_yield = 1}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        assert_true(goes_on(ways[i], 5 * MS, false));
        if (i != 1) assert_false(goes_on(ways[i], 5 * MS, true)); /* members of a room look on beside others, too */
        assert_false(goes_on(ways[i], 13 * MS, true));
        assert_false(goes_on(ways[i], 13 * MS, false));
    }
    assert_false(goes_on((sup_patience){.yields = true}, 5 * MS, false));
    assert_false(goes_on(SUP_PATIENCE_IDLE, 5 * MS, false));
}

static void a_plan_decides_instead(void **state) {
    (void)state;
    sup_patience p = SUP_PATIENCE_CORE;
    p.usual_ns = 400000;
    p.no_yield = 7;
    sup_patience_fix(&p, 0.0001);
    assert_int_equal(p.no_yield, 0);
    for (int i = 0; i < 40; i++) wait_ended(&p, 300000, i % 2);
    assert_int_equal(p.spin_ns, 100000);
    assert_int_equal(p.usual_ns, 0);
    sup_patience_fix(&p, 0);
    sup_wait w = SUP_WAIT_INIT;
    sup_wait_pause(&w, &p, NULL);
    assert_true(w.armed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ring_wakes_all),
        cmocka_unit_test(who_leaves_disarms_nobody),
        cmocka_unit_test(to_ring_for_nobody_changes_nothing),
        cmocka_unit_test(no_ring_is_lost),
        cmocka_unit_test(looks_for_longer_where_that_helps),
        cmocka_unit_test(expensive_yields_are_left_for_a_while),
        cmocka_unit_test(who_is_kept_waiting_has_neighbours),
        cmocka_unit_test(a_core_of_its_own_is_kept),
        cmocka_unit_test(a_plan_decides_instead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

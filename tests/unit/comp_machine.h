/* A made-up machine for the tests of rates: a clock that stands still until somebody moves it, caches, a profile. */
#ifndef SUP_TESTS_COMP_MACHINE_H
#define SUP_TESTS_COMP_MACHINE_H

#include "../random_real.h"
#include "base/number/random.h"
#include "kernels/kernels.h"
#include "measure/comp/comp.h"
#include "profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NEAR(a, b, eps) assert_true(fabs((a) - (b)) <= (eps))

/* ---- a machine of our own: time passes when a fake kernel or a fake visit takes it ---- */

static int64_t now_ns;
static sup_random chance;

static inline int64_t fake_now(void *context) {
    (void)context;
    return now_ns;
}

static const sup_clock fake_clock = {fake_now, NULL, 1e-9, 0.0};

static inline bool stop_when_told(void *context, double fraction, const char *text, double left) {
    assert_non_null(text);
    assert_true(fraction >= 0.0 && fraction <= 1.0);
    (void)left;
    return !*(bool *)context;
}

static inline sup_session *session_with(double budget, bool *stop) {
    now_ns = 1000;
    sup_session_options o = sup_session_defaults();
    o.budget_s = budget;
    o.clock = &fake_clock;
    if (stop) {
        o.progress = stop_when_told;
        o.progress_context = stop;
    }
    sup_session *s = NULL;
    assert_int_equal(sup_session_open(&o, NULL, &s), SUP_OK);
    return s;
}

static inline const sup_warning *warning_of(const sup_session *s, const char *code) {
    size_t count;
    const sup_warning *list = sup_session_warnings(s, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i].code, code)) return &list[i];
    return NULL;
}

/* L1 64 KB, L2 1 MB, L3 32 MB shared by two cores. */
static inline double truth(double bytes, int active) {
    double kb = bytes / 1024.0, t = 1e-9;
    if (kb > 64) t = 1.5e-9;
    if (kb > 1024) t = 2.5e-9;
    if (kb > 32768.0 / active) t = 5e-9 * active;
    return t;
}

typedef struct machine {
    sup_topology *topology;
    sup_usable usable;
    sup_profile *profile;
    sup_comp_set set;
} machine;

#define TWO_CORES "pack:1 l3:1(size=33554432) l2:2(size=1048576) l1:1(size=65536) core:1 pu:1"
#define EIGHT_CORES "pack:1 l3:1(size=33554432) l2:8(size=1048576) l1:1(size=65536) core:1 pu:1"
#define ONE_CORE "pack:1 l2:1(size=524288) l1:1(size=32768) core:1 pu:2"

static inline sup_comp_options options_for(const machine *m, const sup_comp_kernel *kernels, size_t count) {
    return (sup_comp_options){
        .topology = m->topology, .usable = &m->usable, .kernels = kernels, .kernel_count = count, .deep = true};
}

static inline void machine_make(machine *m, const char *synthetic) {
    *m = (machine){0};
    chance = (sup_random){7};
    assert_int_equal(sup_topology_from_synthetic(synthetic, NULL, &m->topology), SUP_OK);
    assert_int_equal(sup_usable_make(m->topology, NULL, NULL, &m->usable), SUP_OK);
    assert_int_equal(sup_profile_new(0, NULL, &m->profile), SUP_OK);
    sup_origin *o = &m->profile->signature;
    assert_int_equal(sup_record_set_string(&o->topology, "t"), SUP_OK);
    assert_int_equal(sup_record_set_string(&o->cpu, "c"), SUP_OK);
    assert_int_equal(sup_record_set_string(&o->transport, "shm"), SUP_OK);
    o->cores = m->topology->core_count;
    o->hosts = 1;
    int host[2] = {0, 0}, core[2] = {0, 1};
    assert_int_equal(sup_origin_set_placement(o, 2, host, core), SUP_OK);
}

static inline void machine_free(machine *m) {
    sup_comp_set_free(&m->set);
    sup_profile_free(m->profile);
    sup_usable_free(&m->usable);
    sup_topology_free(m->topology);
}

#endif

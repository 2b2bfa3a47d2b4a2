/* Groups of processes: ranks, own place, who shares a host, and who is first there. */
#include "net/group.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char *const hosts[] = {"b", "b", "a", "b", "a", "c", "c"};

static const char *host_of(sup_net *net, int rank) {
    (void)net;
    return hosts[rank];
}

static const sup_net_ops ops = {.name = "made up", .host = host_of};

static void expect(const sup_net_group *g, int count, const int *host, const int *leader) {
    sup_net_hosts h;
    assert_int_equal(sup_net_group_hosts(g, &h), SUP_OK);
    assert_int_equal(h.count, count);
    assert_memory_equal(h.host_of, host, (size_t)g->size * sizeof *host);
    assert_memory_equal(h.leader, leader, (size_t)count * sizeof *leader);
    sup_net_hosts_free(&h);
}

static void the_first_so_many(void **state) {
    (void)state;
    sup_net net = {.ops = &ops, .rank = 4, .size = 7};
    sup_net_group all = sup_net_group_first(&net, 7), few = sup_net_group_first(&net, 4);
    assert_int_equal(all.self, 4);
    assert_int_equal(few.self, -1);
    for (int i = 0; i < 7; i++) assert_int_equal(sup_net_group_rank(&all, i), i);
    expect(&all, 3, (const int[]){0, 0, 1, 0, 1, 2, 2}, (const int[]){0, 2, 5});
    expect(&few, 2, (const int[]){0, 0, 1, 0}, (const int[]){0, 2});
}

static void any_ranks_in_any_order(void **state) {
    (void)state;
    sup_net net = {.ops = &ops, .rank = 3, .size = 7};
    sup_net_group g;
    assert_int_equal(sup_net_group_of(&net, (const int[]){6, 3, 2, 0, 5}, 5, &g), SUP_OK);
    assert_int_equal(g.self, 1);
    assert_int_equal(sup_net_group_rank(&g, 4), 5);
    expect(&g, 3, (const int[]){0, 1, 2, 1, 0}, (const int[]){0, 1, 2});
    sup_net_group_free(&g);
    assert_int_equal(sup_net_group_of(&net, (const int[]){6, 2}, 2, &g), SUP_OK);
    assert_int_equal(g.self, -1);
    sup_net_group_free(&g);
}

static void wrong_ranks_are_refused(void **state) {
    (void)state;
    sup_net net = {.ops = &ops, .rank = 3, .size = 7};
    sup_net_group g;
    assert_int_equal(sup_net_group_of(&net, (const int[]){1, 2, 1}, 3, &g), SUP_EINVAL);
    assert_int_equal(sup_net_group_of(&net, (const int[]){7}, 1, &g), SUP_EINVAL);
    assert_int_equal(sup_net_group_of(&net, (const int[]){-1}, 1, &g), SUP_EINVAL);
    assert_int_equal(sup_net_group_of(&net, (const int[]){0}, 0, &g), SUP_EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_so_many),
        cmocka_unit_test(any_ranks_in_any_order),
        cmocka_unit_test(wrong_ranks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

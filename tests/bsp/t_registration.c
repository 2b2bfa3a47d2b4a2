/* bsp_push_reg and bsp_pop_reg: what a local address stands for on another process, and from when to when. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdlib.h>
#include <string.h>

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static void put_int(int pid, int value, const void *name, size_t index) {
    bsp_put(pid, &value, name, index * sizeof value, sizeof value);
}

static void basic(void) {
    int a = -1, b = -1;

    RULE("a registration takes effect at the end of its superstep");
    bsp_push_reg(&a, sizeof a);
    bsp_sync();
    put_int(right(), bsp_pid(), &a, 0);
    bsp_sync();
    EXPECT(a == left());

    RULE("taking a registration back takes effect at the end of the superstep, not before");
    bsp_pop_reg(&a);
    put_int(right(), 100 + bsp_pid(), &a, 0);
    bsp_sync();
    EXPECT(a == 100 + left());

    RULE("registrations of one superstep are matched in the order of the calls");
    int first = 0, second = 0;
    if (bsp_pid() % 2) {
        bsp_push_reg(&a, sizeof a);
        bsp_push_reg(&b, sizeof b);
    } else {
        bsp_push_reg(&first, sizeof first);
        bsp_push_reg(&second, sizeof second);
    }
    bsp_sync();
    int *mine1 = bsp_pid() % 2 ? &a : &first, *mine2 = bsp_pid() % 2 ? &b : &second;
    put_int(right(), 1, mine1, 0);
    put_int(right(), 2, mine2, 0);
    bsp_sync();
    EXPECT(*mine1 == 1 && *mine2 == 2);
    bsp_pop_reg(mine1); /* in another order than pushed, which is allowed as long as all do the same */
    bsp_pop_reg(mine2);
    bsp_sync();

    RULE("a registration made and taken back in one superstep leaves nothing");
    bsp_push_reg(&a, sizeof a);
    bsp_sync();
    bsp_push_reg(&a, 0);
    bsp_pop_reg(&a);
    bsp_sync();
    put_int(right(), 7, &a, 0);
    bsp_pop_reg(&a);
    bsp_sync();
    EXPECT(a == 7);
}

static void uneven(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    size_t n = (size_t)s + 1;
    int *mine = malloc(n * sizeof *mine), sum = 0;

    RULE("addresses and sizes of one registration may differ from process to process");
    for (size_t i = 0; i < n; i++) mine[i] = -1;
    bsp_push_reg(mine, n * sizeof *mine);
    bsp_sync();
    for (int i = 0; i < p; i++)
        if (s <= i) put_int(i, s, mine, (size_t)s); /* beyond the end of the own area where s < i */
    bsp_sync();
    for (size_t i = 0; i < n; i++) EXPECT(mine[i] == (int)i);
    bsp_pop_reg(mine);
    bsp_sync();

    RULE("a process with nothing to offer may register NULL or size zero, and an address with size zero names the "
         "others");
    int handle = 0, all[64];
    const void *name = s == 0 ? (void *)mine : (void *)&handle;
    bsp_push_reg(name, s == 0 ? sizeof *mine : 0);
    bsp_push_reg(s == p - 1 ? all : NULL, s == p - 1 ? sizeof all : 0);
    bsp_sync();
    mine[0] = 41;
    bsp_get(0, name, 0, &sum, sizeof sum);
    bsp_sync();
    EXPECT(sum == 41);
    bsp_pop_reg(s == p - 1 ? all : NULL);
    bsp_pop_reg(name);
    bsp_sync();

    RULE("several registrations of NULL are told apart by their place in the sequence");
    int last = -5;
    bsp_push_reg(NULL, 0);
    bsp_push_reg(&last, sizeof last);
    bsp_push_reg(NULL, 0);
    bsp_sync();
    put_int(right(), 9, &last, 0);
    bsp_pop_reg(NULL);
    bsp_pop_reg(NULL);
    bsp_pop_reg(&last);
    bsp_sync();
    EXPECT(last == 9);
    free(mine);
}

enum { OWNED = 5 };

/* Rank 0 and rank k mod P have array k, the others NULL. */
static int owned[OWNED][2];
static int *array(int k) { return bsp_pid() == 0 || bsp_pid() == k % bsp_nprocs() ? owned[k] : NULL; }

/* Rank 0 writes to those that are registered, a bit each. */
static int arrays_hold(unsigned registered, int value) {
    int right = 1;
    for (int k = 0; k < OWNED && bsp_pid() == 0; k++) {
        if (!(registered >> k & 1)) continue;
        put_int(k % bsp_nprocs(), value + k, owned[k], 0);
        put_int(0, value - k, owned[k], 1);
    }
    bsp_sync();
    for (int k = 0; k < OWNED; k++) {
        if (!(registered >> k & 1)) continue;
        if (bsp_pid() == k % bsp_nprocs()) right &= owned[k][0] == value + k;
        if (bsp_pid() == 0) right &= owned[k][1] == value - k;
    }
    return right;
}

static void nulls(void) {
    static const int orders[][OWNED] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {1, 3, 0, 2, 4}, {3, 4, 0, 2, 1}};
    int p = bsp_nprocs(), s = bsp_pid(), last = 0, x = 0, right_ones = 1;

    RULE("NULL stands for the registration that the others name, in whatever order registrations are taken back");
    for (int o = 0; o < 4; o++) {
        for (int k = 0; k < OWNED; k++) bsp_push_reg(array(k), array(k) ? sizeof owned[k] : 0);
        bsp_sync();
        unsigned there = (1u << OWNED) - 1;
        for (int i = 0; i < OWNED; i += 2) {
            right_ones &= arrays_hold(there, 100 * (o + 1) + i);
            for (int k = i; k < i + 2 && k < OWNED; k++) {
                bsp_pop_reg(array(orders[o][k]));
                there &= ~(1u << orders[o][k]);
            }
            bsp_sync();
        }
    }
    EXPECT(right_ones);

    RULE("also among registrations and others that are taken back in the same superstep");
    for (int o = 0; o < 4; o++) {
        bsp_push_reg(&x, sizeof x);
        for (int k = 0; k < OWNED; k++) {
            bsp_push_reg(array(k), array(k) ? sizeof owned[k] : 0);
            if (k == 2) bsp_pop_reg(array(orders[o][0] % 3));
            if (k == 2) bsp_push_reg(s == p - 1 ? &last : NULL, s == p - 1 ? sizeof last : 0);
        }
        bsp_pop_reg(&x);
        bsp_sync();
        right_ones &= arrays_hold(0x1fu & ~(1u << orders[o][0] % 3), 1000 * (o + 1));
        if (s == p - 1) put_int(s, o, &last, 0);
        bsp_pop_reg(s == p - 1 ? &last : NULL);
        for (int k = 0; k < OWNED; k++)
            if (orders[o][k] != orders[o][0] % 3) bsp_pop_reg(array(orders[o][k]));
        bsp_push_reg(array(1), array(1) ? sizeof owned[1] : 0);
        bsp_sync();
        right_ones &= arrays_hold(2, 2000 * (o + 1)) && (s < p - 1 || last == o);
        bsp_pop_reg(array(1));
        bsp_sync();
    }
    EXPECT(right_ones);

    RULE("where all give NULL, the latest goes in which all did");
    bsp_push_reg(NULL, 0);
    bsp_push_reg(array(1), array(1) ? sizeof owned[1] : 0);
    bsp_push_reg(array(3), array(3) ? sizeof owned[3] : 0);
    bsp_sync();
    bsp_pop_reg(NULL);
    bsp_sync();
    EXPECT(arrays_hold(2 + 8, 70));
    bsp_push_reg(NULL, 0);
    bsp_pop_reg(array(1));
    bsp_pop_reg(NULL);
    bsp_sync();
    EXPECT(arrays_hold(8, 80));
    bsp_pop_reg(array(3));
    bsp_sync();

    RULE("thousands of arrays of one process are taken back in the order of their registration");
    enum { COUNT = 3000 };
    int *cells = calloc(COUNT, sizeof *cells), wrong = 0;
    for (int i = 0; i < COUNT; i++) bsp_push_reg(s == 0 ? cells + i : NULL, s == 0 ? sizeof *cells : 0);
    bsp_sync();
    for (int i = 0; i < COUNT; i += 2) bsp_pop_reg(s == 0 ? cells + i : NULL);
    bsp_sync();
    for (int i = 1; i < COUNT && s == 0; i += 2) put_int(0, i, cells + i, 0);
    for (int i = 1; i < COUNT; i += 2) bsp_pop_reg(s == 0 ? cells + i : NULL);
    bsp_sync();
    for (int i = 0; i < COUNT && s == 0; i++) wrong += cells[i] != (i % 2 ? i : 0);
    EXPECT(wrong == 0);
    free(cells);
}

static void shadows(void) {
    int a[4] = {0}, b[4] = {0};
    int s = bsp_pid();

    RULE("registering an address again hides its earlier registration");
    bsp_push_reg(a, sizeof a);
    bsp_sync();
    bsp_push_reg(s % 2 ? b : a, s % 2 ? sizeof b : sizeof(int)); /* rank 0 names it a, odd ranks b */
    bsp_sync();
    put_int(right(), 5, s % 2 ? b : a, 0);
    bsp_sync();
    EXPECT(s % 2 ? b[0] == 5 && a[0] == 0 : a[0] == 5);

    RULE("taking back removes the latest registration of the address, and the earlier one is seen again");
    bsp_pop_reg(s % 2 ? b : a);
    bsp_sync();
    put_int(right(), 6, a, 3); /* the later registration was too small for this */
    bsp_sync();
    EXPECT(a[3] == 6 && b[3] == 0);

    RULE("taking back and registering in one superstep replaces the registration");
    bsp_pop_reg(a);
    bsp_push_reg(b, sizeof b);
    put_int(right(), 8, a, 1);
    bsp_sync();
    EXPECT(a[1] == 8);
    put_int(right(), 9, b, 2);
    bsp_pop_reg(b);
    bsp_push_reg(b, sizeof b);
    bsp_sync();
    EXPECT(b[2] == 9);
    put_int(right(), 10, b, 2);
    bsp_pop_reg(b);
    bsp_sync();
    EXPECT(b[2] == 10);

    RULE("the same memory may be registered many times and taken back as often");
    for (int i = 0; i < 50; i++) bsp_push_reg(a, sizeof a);
    bsp_sync();
    for (int i = 0; i < 49; i++) bsp_pop_reg(a);
    bsp_sync();
    put_int(right(), 11, a, 0);
    bsp_pop_reg(a);
    bsp_sync();
    EXPECT(a[0] == 11);

    RULE("registered areas may overlap; each address names its own");
    bsp_push_reg(a, sizeof a);
    bsp_push_reg(a + 2, 2 * sizeof *a);
    bsp_sync();
    put_int(right(), 20, a, 2);
    put_int(right(), 21, a + 2, 1);
    bsp_pop_reg(a);
    bsp_pop_reg(a + 2);
    bsp_sync();
    EXPECT(a[2] == 20 && a[3] == 21);
}

static void many(void) {
    enum { COUNT = 5000 };
    int *cells = calloc(COUNT, sizeof *cells), wrong = 0;

    RULE("there may be thousands of registrations at a time");
    EXPECT(cells != NULL);
    for (int i = 0; i < COUNT; i++) bsp_push_reg(cells + i, sizeof *cells);
    bsp_sync();
    for (int i = 0; i < COUNT; i += 7) put_int(right(), i + 1, cells + i, 0);
    for (int i = 0; i < COUNT; i += 2) bsp_pop_reg(cells + i);
    bsp_sync();
    for (int i = 0; i < COUNT; i++) wrong += cells[i] != (i % 7 ? 0 : i + 1);
    EXPECT(wrong == 0);
    for (int i = 1; i < COUNT; i += 2) put_int(right(), -i, cells + i, 0);
    bsp_sync();
    for (int i = 1; i < COUNT; i += 2) wrong += cells[i] != -i;
    EXPECT(wrong == 0);
    for (int i = COUNT - 1; i > 0; i -= 2) bsp_pop_reg(cells + i);
    bsp_sync();
    free(cells);

    RULE("memory may be freed and registered anew once its registration is gone");
    for (int i = 0; i < 100; i++) {
        int *block = malloc(sizeof *block * (size_t)(1 + i));
        bsp_push_reg(block, sizeof *block * (size_t)(1 + i));
        bsp_sync();
        put_int(right(), i, block, (size_t)i);
        bsp_pop_reg(block);
        bsp_sync();
        wrong += block[i] != i;
        free(block);
    }
    EXPECT(wrong == 0);
}

void topic_registration(void) {
    basic();
    uneven();
    nulls();
    shadows();
    many();
}

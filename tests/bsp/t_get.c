/* bsp_get and bsp_hpget: which values are read, and when they are there. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdlib.h>
#include <string.h>

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static void values(int *a) {
    int x = -1, y = -1;

    RULE("a get reads the value that is there when the superstep ends, not when it was called");
    a[0] = -7;
    bsp_get(right(), a, 0, &x, sizeof x);
    a[0] = 10 + bsp_pid();
    EXPECT(x == -1);
    bsp_sync();
    EXPECT(x == 10 + right());

    RULE("all gets of a superstep read before any put of it writes");
    a[0] = bsp_pid();
    y = 500 + bsp_pid();
    bsp_put(right(), &y, a, 0, sizeof y);
    bsp_get(right(), a, 0, &x, sizeof x);
    bsp_get(bsp_pid(), a, 0, &y, sizeof y);
    bsp_sync();
    EXPECT(x == right() && y == bsp_pid() && a[0] == 500 + left());

    RULE("where a get and a put write the same place, the put is written last");
    a[0] = 1, a[1] = 2;
    y = 3;
    bsp_sync();
    bsp_put(right(), &y, a, sizeof *a, sizeof *a);
    bsp_get(right(), a, 0, a + 1, sizeof *a);
    bsp_sync();
    EXPECT(a[0] == 1 && a[1] == 3);

    RULE("a get reads before other gets write: processes can exchange values with two gets");
    a[0] = bsp_pid();
    bsp_get(right(), a, 0, a, sizeof *a);
    bsp_sync();
    EXPECT(a[0] == right());

    RULE("gets that write the same place do so in the order of the calls");
    a[0] = bsp_pid(), a[1] = 100 + bsp_pid();
    bsp_get(right(), a, 0, &x, sizeof x);
    bsp_get(left(), a, sizeof *a, &x, sizeof x);
    bsp_sync();
    EXPECT(x == 100 + left());

    RULE("a get of no bytes does nothing");
    x = 4;
    bsp_get(right(), a, 0, &x, 0);
    bsp_hpget(right(), a, 0, &x, 0);
    bsp_get(right(), a, 0, NULL, 0);
    bsp_sync();
    EXPECT(x == 4);

    RULE("a get from the process itself is like any other, also where source and target overlap");
    for (int i = 0; i < 6; i++) a[i] = i;
    bsp_get(bsp_pid(), a, 0, a + 1, 5 * sizeof *a);
    bsp_sync();
    for (int i = 0; i < 6; i++) EXPECT(a[i] == (i ? i - 1 : 0));
}

static void many_readers(int *a) {
    int p = bsp_nprocs(), wrong = 0;
    int *all = malloc((size_t)p * 64 * sizeof *all);

    RULE("any number of processes may read the same area in one superstep");
    for (int i = 0; i < 16; i++) a[i] = 1000 * bsp_pid() + i;
    for (int i = 0; i < 4 * p; i++) bsp_get(i % p, a, 0, all + i * 16, 16 * sizeof *a);
    bsp_sync();
    for (int i = 0; i < 4 * p; i++)
        for (int j = 0; j < 16; j++) wrong += all[i * 16 + j] != 1000 * (i % p) + j;
    EXPECT(wrong == 0);

    RULE("thousands of gets of one superstep all arrive");
    enum { N = 3000 };
    int *many = calloc(N, sizeof *many);
    for (int i = 0; i < N; i++) bsp_get((bsp_pid() + i) % p, a, (size_t)(i % 16) * sizeof *a, many + i, sizeof *a);
    bsp_sync();
    for (int i = 0; i < N; i++) wrong += many[i] != 1000 * ((bsp_pid() + i) % p) + i % 16;
    EXPECT(wrong == 0);
    free(many);
    free(all);
}

static void unbuffered(int *a) {
    int x[16], wrong = 0;

    RULE("an hpget has arrived after the sync");
    for (int i = 0; i < 16; i++) a[i] = bsp_pid() + i;
    bsp_sync();
    bsp_hpget(right(), a, 0, x, sizeof x);
    bsp_sync();
    for (int i = 0; i < 16; i++) wrong += x[i] != right() + i;
    EXPECT(wrong == 0);

    RULE("gets and hpgets need no alignment");
    unsigned char bytes[16 * sizeof(int)], *base = (unsigned char *)a;
    for (size_t i = 0; i < sizeof bytes; i++) base[i] = (unsigned char)(3 * i);
    bsp_sync();
    for (size_t len = 1; len < 30; len++) {
        memset(bytes, 0xaa, sizeof bytes);
        bsp_get(right(), a, len % 7, bytes + 1, len);
        bsp_hpget(right(), a, len % 5, bytes + 33, len);
        bsp_sync();
        wrong += memcmp(bytes + 1, base + len % 7, len) != 0 || memcmp(bytes + 33, base + len % 5, len) != 0;
        wrong += bytes[0] != 0xaa || bytes[len + 1] != 0xaa || bytes[len + 33] != 0xaa;
    }
    EXPECT(wrong == 0);
}

void topic_get(void) {
    int a[16] = {0};
    bsp_push_reg(a, sizeof a);
    bsp_sync();
    values(a);
    many_readers(a);
    unbuffered(a);
    bsp_pop_reg(a);
    bsp_sync();
}

/* bsp_put and bsp_hpput: what is written, when, and in which order. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static void buffering(int *a) {
    RULE("a put writes at the sync and not before");
    int x = 1000 + bsp_pid();
    a[0] = -3;
    bsp_put(bsp_pid(), &x, a, 0, sizeof x);
    EXPECT(a[0] == -3);
    bsp_sync();
    EXPECT(a[0] == x);

    RULE("the source of a put may be changed as soon as the call returns: the value at the call arrives");
    for (int i = 0; i < 10; i++) {
        x = 10 * bsp_pid() + i;
        bsp_put(right(), &x, a, (size_t)i * sizeof x, sizeof x);
    }
    x = -1;
    bsp_sync();
    for (int i = 0; i < 10; i++) EXPECT(a[i] == 10 * left() + i);

    RULE("what the target's owner writes into it before the sync is overwritten by the put, what lies beside it stays");
    x = 77;
    bsp_put(right(), &x, a, sizeof x, sizeof x);
    a[0] = 1, a[1] = 2, a[2] = 3;
    bsp_sync();
    EXPECT(a[0] == 1 && a[1] == 77 && a[2] == 3);

    RULE("a put of no bytes does nothing, whatever its address");
    a[0] = 5;
    bsp_put(right(), &x, a, 0, 0);
    bsp_hpput(right(), &x, a, 0, 0);
    bsp_put(right(), NULL, a, 0, 0);
    bsp_sync();
    EXPECT(a[0] == 5);

    RULE("a put to the process itself is like any other");
    for (int i = 0; i < 4; i++) a[i] = i;
    bsp_put(bsp_pid(), a, a, sizeof *a, 3 * sizeof *a); /* source and target overlap */
    a[0] = 9;
    bsp_sync();
    EXPECT(a[0] == 9 && a[1] == 0 && a[2] == 1 && a[3] == 2);

    RULE("the target of a put may at the same time be the source of another");
    a[0] = bsp_pid();
    bsp_put(right(), a, a, 0, sizeof *a);
    bsp_sync();
    EXPECT(a[0] == left());
}

static void order(int *a) {
    int p = bsp_nprocs(), s = bsp_pid(), x;

    RULE("puts that overlap are written one after the other: by rank of the source, then in the order of the calls");
    for (int round = 0; round < 3; round++) {
        x = 100 * s + round;
        bsp_put(0, &x, a, 0, sizeof x);
        bsp_put(p - 1, &x, a, sizeof x, sizeof x);
    }
    bsp_sync();
    EXPECT(s != 0 || a[0] == 100 * (p - 1) + 2);
    EXPECT(s != p - 1 || a[1] == 100 * (p - 1) + 2);

    RULE("the order of overlapping puts holds byte by byte where they overlap in part, small and large alike");
    enum { LARGE = 100000 };
    unsigned char *big = malloc(LARGE), *src = malloc(LARGE);
    memset(big, 0xff, LARGE);
    memset(src, s, LARGE);
    bsp_push_reg(big, LARGE);
    bsp_sync();
    size_t from = (size_t)s * 1000, len = LARGE - (size_t)p * 1000; /* windows that slide with the rank */
    bsp_put(right(), src, big, from, len);
    bsp_put((s + 2) % p, src, big, from, len);
    unsigned char mark = (unsigned char)(s + 100);
    bsp_put(right(), &mark, big, from + 5, 1);
    bsp_pop_reg(big);
    bsp_sync();
    /* Replay: the sources of this process's window, in order of rank. */
    unsigned char *expected = malloc(LARGE);
    memset(expected, 0xff, LARGE);
    for (int r = 0; r < p; r++) {
        size_t at = (size_t)r * 1000;
        if ((r + 1) % p == s) memset(expected + at, r, len);
        if ((r + 2) % p == s) memset(expected + at, r, len);
        if ((r + 1) % p == s) expected[at + 5] = (unsigned char)(r + 100);
    }
    EXPECT(memcmp(expected, big, LARGE) == 0);

    RULE("the order of overlapping puts holds where all of them are large");
    memset(big, 0xff, LARGE);
    memset(expected, 0xff, LARGE);
    bsp_push_reg(big, LARGE);
    bsp_sync();
    for (int to = 0; to < p; to++) bsp_put(to, src, big, from, len);
    bsp_sync();
    for (int r = 0; r < p; r++) memset(expected + (size_t)r * 1000, r, len);
    EXPECT(memcmp(expected, big, LARGE) == 0);

    RULE("large puts that do not overlap all arrive");
    from = (size_t)s * (LARGE / (size_t)p), len = LARGE / (size_t)p;
    memset(big, 0xff, LARGE);
    memset(expected, 0xff, LARGE);
    bsp_sync();
    for (int to = 0; to < p; to++) bsp_put(to, src, big, from, len);
    bsp_pop_reg(big);
    bsp_sync();
    for (size_t i = 0; i < (size_t)p * len; i++) expected[i] = (unsigned char)(i / len);
    EXPECT(memcmp(expected, big, LARGE) == 0);
    free(big), free(src), free(expected);
}

static void shapes(void) {
    enum { N = 4096 };
    unsigned char *target = malloc(N), *source = malloc(N), *expected = malloc(N);
    int wrong = 0;

    RULE("source, target and length need no alignment");
    bsp_push_reg(target, N);
    memset(target, 0, N);
    bsp_sync();
    for (size_t len = 1; len < 70; len++) {
        size_t from = len % 17, to = (3 * len) % 31;
        memset(expected, 0, N);
        for (size_t i = 0; i < N; i++) source[i] = (unsigned char)(i * 7 + len);
        memcpy(expected + to, source + from, len);
        memcpy(expected + 1000 + to, source + from, len);
        bsp_put(right(), source + from, target, to, len);
        bsp_hpput(right(), source + from, target, 1000 + to, len);
        bsp_sync();
        wrong += memcmp(target, expected, N) != 0;
        memset(target, 0, N);
        bsp_sync(); /* an unbuffered put may write at once: the target is ready before the superstep begins */
    }
    EXPECT(wrong == 0);

    RULE("an area may be written up to its last byte and from its first");
    source[0] = 1, source[1] = 2;
    bsp_put(right(), source, target, N - 1, 1);
    bsp_put(right(), source + 1, target, 0, 1);
    bsp_sync();
    EXPECT(target[N - 1] == 1 && target[0] == 2);

    RULE("thousands of puts of one superstep all arrive");
    for (size_t i = 0; i < N; i++) {
        unsigned char c = (unsigned char)(i * 31);
        bsp_put(right(), &c, target, i, 1);
    }
    bsp_pop_reg(target);
    bsp_sync();
    for (size_t i = 0; i < N; i++) wrong += target[i] != (unsigned char)(i * 31);
    EXPECT(wrong == 0);
    free(target), free(source), free(expected);
}

static void unbuffered(int *a) {
    RULE("an hpput has arrived after the sync");
    int x[4] = {bsp_pid(), bsp_pid() + 1, bsp_pid() + 2, bsp_pid() + 3};
    bsp_sync();
    bsp_hpput(right(), x, a, 0, sizeof x);
    bsp_sync();
    for (int i = 0; i < 4; i++) EXPECT(a[i] == left() + i);
    bsp_sync();

    RULE("puts and hpputs of one superstep to different places do not disturb each other");
    bsp_hpput(right(), x, a, 0, sizeof *x);
    bsp_put(right(), x + 1, a, sizeof *x, sizeof *x);
    bsp_hpput(right(), x + 2, a, 2 * sizeof *x, sizeof *x);
    bsp_put(right(), x + 3, a, 3 * sizeof *x, sizeof *x);
    bsp_sync();
    for (int i = 0; i < 4; i++) EXPECT(a[i] == left() + i);
    bsp_sync();

    RULE("an hpput may change what is there in any superstep again");
    for (int round = 0; round < 20; round++) {
        x[0] = round * bsp_nprocs() + bsp_pid();
        bsp_hpput(right(), x, a, 0, sizeof *x);
        bsp_sync();
        EXPECT(a[0] == round * bsp_nprocs() + left());
        bsp_sync();
    }
}

/* Of every kind at once, both ways, and with a short one behind a long one: what the exchange sends in pieces. */
static void megabytes(void) {
    enum { WORDS = 400000, ROUNDS = 3 };
    size_t bytes = WORDS * sizeof(uint64_t);
    uint64_t *src = malloc(bytes), *dst = malloc(3 * bytes), *got = malloc(bytes);
    RULE("megabytes arrive whole, in order with short ones, whatever else is on its way");
    if (!src || !dst || !got) bsp_abort("no memory\n");
    bsp_push_reg(src, bytes);
    bsp_push_reg(dst, 3 * bytes);
    bsp_sync();
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < WORDS; i++) src[i] = i * 64 + round * 16 + (uint64_t)bsp_pid();
        memset(dst, 0xff, 3 * bytes);
        bsp_sync();
        uint64_t last = 7;
        bsp_hpput(right(), src, dst, 0, bytes);
        bsp_put(right(), src, dst, bytes, bytes);
        bsp_put(right(), &last, dst, bytes + 8 * 1000, sizeof last); /* behind the long one, so it stays */
        bsp_put(left(), src, dst, 2 * bytes, bytes / 2);
        bsp_get(left(), src, 0, got, bytes);
        bsp_sync();
        int wrong = 0;
        for (uint64_t i = 0; i < WORDS; i++) {
            uint64_t theirs = i * 64 + round * 16, from = theirs + (uint64_t)left();
            wrong += dst[i] != from || got[i] != from || dst[WORDS + i] != (i == 1000 ? 7 : from);
            wrong += i < WORDS / 2 && dst[2 * WORDS + i] != theirs + (uint64_t)right();
        }
        EXPECT(wrong == 0);
        bsp_sync();
    }
    bsp_pop_reg(dst);
    bsp_pop_reg(src);
    bsp_sync();
    free(got);
    free(dst);
    free(src);
}

void topic_put(void) {
    int a[16] = {0};
    bsp_push_reg(a, sizeof a);
    bsp_sync();
    buffering(a);
    order(a);
    unbuffered(a);
    bsp_pop_reg(a);
    bsp_sync();
    shapes();
    megabytes();
}

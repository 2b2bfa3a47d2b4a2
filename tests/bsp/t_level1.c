/* Oxford's level-1 library: its operators write beside their operands, are applied in order of rank, and may be written
 * with pointers to their own type. */
#include "tap.h"
#include "topics.h"

#include <bsp_level1.h>

/* Not commutative: the affine maps of the integers modulo a prime, one after the other. */
typedef struct map {
    int scale, shift;
} map;

enum { MODULUS = 10007, LONG_INTS = 5000 };

static map after(map f, map g) { return (map){f.scale * g.scale % MODULUS, (g.scale * f.shift + g.shift) % MODULUS}; }

static int wrong_sizes, aliased;

static void compose(map *result, map *left, map *right, int *nbytes) {
    wrong_sizes += *nbytes != (int)sizeof(map);
    aliased += result == left || result == right;
    result->scale = result->shift = -1;
    *result = after(*left, *right);
    *nbytes = 1; /* the operator's own */
}

static void add_long(int *result, const int *left, const int *right, int *nbytes) {
    for (int i = 0; i < *nbytes / (int)sizeof(int); i++) result[i] = left[i] + right[i];
}

static map map_of(int rank) { return (map){rank + 2, 3 * rank + 1}; }

static void folds(int p, int s) {
    map all = map_of(0), here, mine = map_of(s), got;
    for (int i = 1; i < p; i++) all = after(all, map_of(i));
    here = map_of(0);
    for (int i = 1; i <= s; i++) here = after(here, map_of(i));
    RULE("bsp_fold applies an operator that is not commutative in order of rank, on all processes");
    bsp_fold(compose, &mine, &got, sizeof mine);
    EXPECT(got.scale == all.scale && got.shift == all.shift);
    RULE("bsp_scan gives the result of the processes up to this one");
    bsp_scan(compose, &mine, &got, sizeof mine);
    EXPECT(got.scale == here.scale && got.shift == here.shift);
    RULE("source and destination of bsp_fold may be the same");
    bsp_fold(compose, &mine, &mine, sizeof mine);
    EXPECT(mine.scale == all.scale && mine.shift == all.shift);
    RULE("an operator gets the size each time, and a result apart from both operands");
    EXPECT(wrong_sizes == 0 && aliased == 0);
    RULE("bsp_fold and bsp_scan take items longer than a packet");
    static int item[LONG_INTS], sum[LONG_INTS];
    for (int i = 0; i < LONG_INTS; i++) item[i] = s + i;
    bsp_fold(add_long, item, sum, sizeof item);
    int wrong = 0;
    for (int i = 0; i < LONG_INTS; i++) wrong += sum[i] != p * (p - 1) / 2 + p * i;
    bsp_scan(add_long, item, sum, sizeof item);
    for (int i = 0; i < LONG_INTS; i++) wrong += sum[i] != s * (s + 1) / 2 + (s + 1) * i;
    EXPECT(wrong == 0);
}

static void blocks(int p, int s) {
    int *table = malloc((size_t)p * sizeof *table), wrong = 0, x;
    RULE("bsp_bcast copies the root's source into everybody's destination, registered or not");
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    for (int root = 0; root < p; root++) {
        int mine = 100 + s;
        x = -1;
        bsp_bcast(root, &mine, &x, sizeof x);
        wrong += x != 100 + root || mine != 100 + s;
        bsp_bcast(root, &mine, &mine, sizeof mine);
        wrong += mine != 100 + root;
    }
    bsp_pop_reg(&x);
    EXPECT(wrong == 0);
    RULE("bsp_gather puts everybody's block into the root's table, bsp_scatter gives the blocks of it out");
    for (int root = 0; root < p; root++) {
        int mine = 10 * s + root, got = -1;
        for (int i = 0; i < p; i++) table[i] = -1;
        bsp_gather(root, &mine, table, sizeof mine);
        for (int i = 0; i < p; i++) wrong += table[i] != (s == root ? 10 * i + root : -1);
        for (int i = 0; i < p && s == root; i++) table[i] = 1000 * root + i;
        bsp_scatter(root, table, &got, sizeof got);
        wrong += got != 1000 * root + s;
    }
    EXPECT(wrong == 0);
    free(table);
}

static void values(int p, int s) {
    RULE("sums, products, least and greatest of ints, floats and doubles");
    EXPECT(bsp_sumI(s + 1) == p * (p + 1) / 2);
    EXPECT(bsp_sumR((float)s) == (float)(p * (p - 1) / 2));
    EXPECT(bsp_sumD(0.5 * s) == 0.25 * p * (p - 1));
    EXPECT(bsp_productI(s < 2 ? 3 : 1) == (p > 1 ? 9 : 3));
    EXPECT(bsp_productR(s ? 1.0f : 0.5f) == 0.5f && bsp_productD(s ? -1.0 : 2.0) == (p % 2 ? 2.0 : -2.0));
    EXPECT(bsp_minI(s - 5) == -5 && bsp_minR((float)-s) == (float)(1 - p) && bsp_minD(0.5 + s) == 0.5);
    EXPECT(bsp_maxI(-s) == 0 && bsp_maxR((float)s) == (float)(p - 1) && bsp_maxD(-1.5 * s) == 0.0);
    RULE("the same of the processes up to this one");
    EXPECT(bsp_sumI_prefix(1) == s + 1 && bsp_sumR_prefix(0.5f) == 0.5f * (float)(s + 1));
    EXPECT(bsp_sumD_prefix(s) == 0.5 * s * (s + 1) && bsp_productI_prefix(s ? 1 : 7) == 7);
    EXPECT(bsp_productR_prefix(-1.0f) == (s % 2 ? 1.0f : -1.0f) && bsp_productD_prefix(s < 3 ? 2.0 : 1.0) > 1.0);
    EXPECT(bsp_minI_prefix(-s) == -s && bsp_minR_prefix((float)s) == 0.0f && bsp_minD_prefix(-s) == -s);
    EXPECT(bsp_maxI_prefix(s) == s && bsp_maxR_prefix((float)-s) == 0.0f && bsp_maxD_prefix(s) == s);
    RULE("all, any and constant");
    EXPECT(bsp_all(7) == 1 && bsp_all(s) == 0 && bsp_any(0) == 0 && bsp_any(s == p - 1 ? -3 : 0) == 1);
    EXPECT(bsp_all_prefix(s < 2) == (s < 2) && bsp_any_prefix(s == 1 ? 4 : 0) == (s >= 1));
    EXPECT(bsp_constantI(-12) == 1 && bsp_constantI(s) == (p == 1) && bsp_constantI(s == p - 1) == (p == 1));
}

typedef struct card {
    int value, rank;
} card;

static int lower(card *x, card *y, int *nbytes) {
    wrong_sizes += *nbytes != (int)sizeof(card);
    return x->value < y->value;
}

static void sorting(int p, int s) {
    RULE("bsp_sort gives process s the s-th least, equals in order of rank");
    card mine = {-(s / 2), s}, got;
    bsp_sort(lower, &mine, &got, sizeof mine);
    int below = 0; /* items that must come before the one received */
    for (int i = 0; i < p; i++) below += -(i / 2) < got.value || (-(i / 2) == got.value && i < got.rank);
    EXPECT(below == s && wrong_sizes == 0);
    RULE("ints, floats, doubles and chars are sorted");
    EXPECT(bsp_sortI(p - s) == s + 1 && bsp_sortR((float)(3 * (p - 1 - s))) == (float)(3 * s));
    EXPECT(bsp_sortD(0.5 * (p - s)) == 0.5 * (s + 1) && bsp_sortC((char)('a' + (p - 1 - s) % 26)) >= 'a');
}

void topic_level1(void) {
    int p = bsp_nprocs(), s = bsp_pid();
    folds(p, s);
    blocks(p, s);
    values(p, s);
    sorting(p, s);
}

/* Names of earlier drafts and of other libraries: they do what the standard's do. The get that does not wait for the
 * sync sees the puts of the last superstep however far its owner has come. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>

enum { LONG_INTS = 200000, ROUNDS = 20 };

static void names(int p, int s) {
    static int got;
    RULE("bsp_pushregister, bsp_popregister and bsp_set_tag_size are the names of earlier drafts");
    int tag_size = sizeof(int), right = (s + 1) % p, left = (s + p - 1) % p, packets, nbytes, status, tag;
    bsp_pushregister(&got, sizeof got);
    bsp_set_tag_size(&tag_size);
    EXPECT(tag_size == 0);
    bsp_sync();
    bsp_put(right, &s, &got, 0, sizeof s);
    bsp_send(right, &s, "abc", 3);
    size_t wide = 0;
    bsp_set_tag_size(&wide);
    EXPECT(wide == sizeof(int));
    bsp_popregister(&got);
    bsp_sync();
    EXPECT(got == left);
    bsp_bsmp_info(&packets, &nbytes);
    EXPECT(packets == 1 && nbytes == 3);
    bsp_get_tag(&status, &tag);
    EXPECT(status == 3 && tag == left);
    RULE("bsp_dtime counts from its last call, bsp_cputime does not run backwards");
    double cpu = bsp_cputime(), before = bsp_time(), first = bsp_dtime(), second = bsp_dtime(), after = bsp_time();
    EXPECT(first >= 0 && second >= 0 && second <= after - before + 1e-6);
    EXPECT(cpu > 0 && bsp_cputime() >= cpu);
}

/* An area of each kind: of the heap, static, on the stack. */
static void direct(int p, int s) {
    static int fixed[4];
    int local[4], *heap = malloc(LONG_INTS * sizeof *heap), *copy = malloc(LONG_INTS * sizeof *copy), wrong = 0;
    if (!heap || !copy) bsp_abort("no memory");
    for (int i = 0; i < LONG_INTS; i++) heap[i] = -1;
    for (int i = 0; i < 4; i++) fixed[i] = local[i] = -1;
    bsp_push_reg(heap, LONG_INTS * sizeof *heap);
    bsp_push_reg(fixed, sizeof fixed);
    bsp_push_reg(local, sizeof local);
    bsp_sync();
    RULE("a direct get is complete when it returns, and sees the puts of the last superstep");
    for (int round = 0; round < ROUNDS; round++) {
        int right = (s + 1) % p, mine = 1000 * round + s;
        bsp_put(right, &mine, heap, (LONG_INTS - 1) * sizeof *heap, sizeof mine);
        bsp_put(right, &mine, fixed, 4, sizeof mine);
        bsp_put(right, &mine, local, 8, sizeof mine);
        bsp_sync();
        for (int k = 0; k < p; k++) {
            int q = (s + k) % p, expected = 1000 * round + (q + p - 1) % p, a = -2, b = -2, c = -2;
            bsp_direct_get(q, heap, (LONG_INTS - 1) * sizeof *heap, &a, sizeof a);
            bsp_direct_get(q, fixed, 4, &b, sizeof b);
            bsp_direct_get(q, local, 8, &c, sizeof c);
            wrong += a != expected || b != expected || c != expected;
        }
        bsp_sync();
    }
    EXPECT(wrong == 0);
    RULE("a direct get sees what its owner wrote in an earlier superstep, many bytes of it too");
    for (int i = 0; i < LONG_INTS; i++) heap[i] = s + i;
    bsp_sync();
    bsp_direct_get((s + 1) % p, heap, 0, copy, LONG_INTS * sizeof *heap);
    for (int i = 0; i < LONG_INTS; i++) wrong += copy[i] != (s + 1) % p + i;
    bsp_direct_get((s + 1) % p, heap, 0, copy, 0);
    EXPECT(wrong == 0);
    RULE("a direct get is answered by a process that is in its sync already, and others by the one that waits");
    for (int turn = 0; turn < p; turn++) {
        int x = -1;
        if (s == turn)
            for (int q = 0; q < p; q++) {
                bsp_direct_get(q, fixed, 0, &x, sizeof x);
                wrong += x != -1;
            }
        bsp_sync();
    }
    EXPECT(wrong == 0);
    bsp_pop_reg(local);
    bsp_pop_reg(fixed);
    bsp_pop_reg(heap);
    bsp_sync();
    free(heap);
    free(copy);
}

void topic_older(void) {
    names(bsp_nprocs(), bsp_pid());
    direct(bsp_nprocs(), bsp_pid());
}

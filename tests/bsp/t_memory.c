/* Which memory may be source and target: all of it. Each kind of memory meets each other kind, buffered and not, small
 * and large. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL = 257, KINDS = 6, LARGE = 5 * 1000 * 1000 + 3 };

static unsigned char in_data[SMALL] = {1}, in_bss[SMALL];

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static void fill(unsigned char *p, size_t n, int owner, int salt) {
    for (size_t i = 0; i < n; i++) p[i] = (unsigned char)(i * 13 + i / 251 + (size_t)owner * 101 + (size_t)salt * 7);
}

static size_t wrong_bytes(const unsigned char *p, size_t n, int owner, int salt) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += p[i] != (unsigned char)(i * 13 + i / 251 + (size_t)owner * 101 + (size_t)salt * 7);
    return wrong;
}

/* Four calls between one kind of memory as source and another as target. */
static size_t try_pair(unsigned char *src, unsigned char *dst, int salt) {
    size_t wrong = 0;
    fill(src, SMALL, bsp_pid(), salt);
    bsp_sync();
    bsp_put(right(), src, dst, 0, SMALL);
    bsp_sync();
    wrong += wrong_bytes(dst, SMALL, left(), salt);
    memset(dst, 0, SMALL);
    bsp_sync();
    bsp_hpput(right(), src, dst, 0, SMALL);
    bsp_sync();
    wrong += wrong_bytes(dst, SMALL, left(), salt);
    memset(dst, 0, SMALL);
    bsp_get(right(), src, 0, dst, SMALL);
    bsp_sync();
    wrong += wrong_bytes(dst, SMALL, right(), salt);
    memset(dst, 0, SMALL);
    bsp_sync();
    bsp_hpget(right(), src, 0, dst, SMALL);
    bsp_sync();
    wrong += wrong_bytes(dst, SMALL, right(), salt);
    bsp_sync();
    return wrong;
}

static unsigned char *map_memory(size_t n) {
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void kinds(void) {
    static unsigned char function_static[SMALL];
    unsigned char on_stack[SMALL], on_stack2[SMALL];
    unsigned char *heap = malloc(SMALL), *mapped = map_memory(SMALL);
    unsigned char *kind[KINDS] = {in_data, in_bss, function_static, on_stack, heap, mapped};
    size_t wrong = 0;

    RULE("globals, static variables, the stack, the heap and mapped memory all serve as source and as target");
    EXPECT(heap && mapped);
    for (int i = 0; i < KINDS; i++) bsp_push_reg(kind[i], SMALL);
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < KINDS; j++)
            if (i != j) wrong += try_pair(kind[i], kind[j], KINDS * i + j);
    EXPECT(wrong == 0);

    RULE("different kinds of memory may stand behind one registration on different processes");
    unsigned char *mine = kind[bsp_pid() % KINDS];
    bsp_push_reg(mine, SMALL);
    bsp_sync();
    fill(on_stack2, SMALL, bsp_pid(), 99);
    bsp_put(right(), on_stack2, mine, 0, SMALL);
    bsp_sync();
    EXPECT(wrong_bytes(mine, SMALL, left(), 99) == 0);
    bsp_pop_reg(mine);
    for (int i = 0; i < KINDS; i++) bsp_pop_reg(kind[i]);
    bsp_sync();
    free(heap);
    munmap(mapped, SMALL);
}

static void private_globals(void) {
    static int counter;
    RULE("global variables are private to each process");
    counter = bsp_pid();
    bsp_sync();
    counter += 100;
    bsp_sync();
    EXPECT(counter == bsp_pid() + 100);
}

static void large(void) {
    unsigned char *a = malloc(LARGE), *b = malloc(LARGE), *m = map_memory(LARGE);

    RULE("megabytes may be moved by one call, aligned or not");
    EXPECT(a && b && m);
    bsp_push_reg(a, LARGE);
    bsp_push_reg(b, LARGE);
    bsp_push_reg(m, LARGE);
    fill(a, LARGE, bsp_pid(), 1);
    bsp_sync();
    bsp_put(right(), a, b, 1, LARGE - 1); /* from an aligned to an unaligned address */
    memset(a, 0, 100);
    bsp_sync();
    EXPECT(wrong_bytes(b + 1, LARGE - 1, left(), 1) == 0);
    fill(a, LARGE, bsp_pid(), 2);
    bsp_sync();
    bsp_hpput(right(), a, m, 0, LARGE);
    bsp_hpget(left(), a, 0, b, LARGE);
    bsp_sync();
    EXPECT(wrong_bytes(m, LARGE, left(), 2) == 0);
    EXPECT(wrong_bytes(b, LARGE, left(), 2) == 0);
    bsp_sync();

    RULE("a large get reads before a large put writes the same memory");
    fill(m, LARGE, bsp_pid(), 3);
    bsp_put(right(), m, a, 0, LARGE);
    bsp_get(right(), a, 0, b, LARGE);
    bsp_sync();
    EXPECT(wrong_bytes(b, LARGE, right(), 2) == 0);
    EXPECT(wrong_bytes(a, LARGE, left(), 3) == 0);

    RULE("the target of a large put may be its own source, shifted");
    fill(a, LARGE, bsp_pid(), 4);
    bsp_put(bsp_pid(), a, a, 3, LARGE - 3);
    bsp_sync();
    EXPECT(wrong_bytes(a + 3, LARGE - 3, bsp_pid(), 4) == 0);
    bsp_pop_reg(m);
    bsp_pop_reg(b);
    bsp_pop_reg(a);
    bsp_sync();
    munmap(m, LARGE);
    free(a), free(b);
}

static void heap_calls(void) {
    RULE("memory may be resized, freed and taken again in every superstep");
    size_t wrong = 0;
    for (int i = 1; i < 60; i++) {
        size_t n = (size_t)i * 997;
        unsigned char *p = malloc(n), *q = calloc(1, 2 * n);
        p = realloc(p, 2 * n);
        fill(p, 2 * n, bsp_pid(), i);
        bsp_push_reg(q, 2 * n);
        bsp_sync();
        bsp_put(right(), p, q, 0, 2 * n);
        free(p); /* a put does not need its source any more */
        p = malloc(n);
        memset(p, 0, n);
        bsp_pop_reg(q);
        bsp_sync();
        wrong += wrong_bytes(q, 2 * n, left(), i);
        free(p), free(q);
    }
    void *aligned = NULL;
    EXPECT(posix_memalign(&aligned, 4096, 10000) == 0 && (uintptr_t)aligned % 4096 == 0);
    free(aligned);
    EXPECT(wrong == 0);
}

void topic_memory(void) {
    kinds();
    private_globals();
    large();
    heap_calls();
}

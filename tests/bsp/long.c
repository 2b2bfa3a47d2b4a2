/* What takes long or much memory:
 *
 *     long messages N      N messages a process in one superstep
 *     long growth N        N supersteps without the process growing
 *     long offsets         areas of more than 2 GiB, of which little is touched
 *     long bytes           more than 2 GiB in one put, hpput, get and message; needs 12 GiB, else says so */
#include "tap.h"

#include <bsp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static void messages(long n) {
    long wrong = 0, i = 0;
    size_t count, bytes;
    int tagsize = sizeof(int);
    RULE("millions of messages in one superstep all arrive");
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    unsigned char *seen = calloc((size_t)n, 1);
    if (!seen) bsp_abort("long: out of memory");
    for (long k = 0; k < n; k++) {
        int tag = (int)(k % 1000003);
        bsp_send(right(), &tag, &k, sizeof k);
    }
    bsp_sync();
    bsp_qsize(&count, &bytes);
    EXPECT(count == (size_t)n && bytes == (size_t)n * sizeof n);
    for (void *tag, *payload; bsp_hpmove(&tag, &payload) >= 0; i++) {
        long k = *(long *)payload;
        if (k < 0 || k >= n || seen[k]++ || *(int *)tag != (int)(k % 1000003)) wrong++;
    }
    EXPECT(wrong == 0 && i == n);
    free(seen);
    bsp_set_tagsize(&tagsize);
    bsp_sync();
}

static long resident_pages(void) {
    long size = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld %ld", &size, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident;
}

static void growth(long n) {
    int a[4] = {0}, x = 0, y = 0;
    long before = 0, wrong = 0;
    RULE("a process does not grow with the number of supersteps");
    for (long i = 0; i < n; i++) {
        if (i == n / 4) before = resident_pages();
        if (i % 100 == 0) bsp_push_reg(a, sizeof a);
        if (i % 100 == 99) bsp_pop_reg(a);
        if (i % 100 != 0) {
            int value = (int)i;
            if (i % 3 == 0) bsp_put(right(), &value, a, 4, sizeof value);
            if (i % 3 == 1) bsp_get(right(), a, 8, &x, sizeof x);
            if (i % 3 == 2) bsp_send(right(), NULL, &value, sizeof value);
        }
        bsp_sync();
        if (i % 100 != 0 && i % 3 == 0) wrong += a[1] != (int)i;
        if (i % 100 != 0 && i % 3 == 2) bsp_move(&y, sizeof y), wrong += y != (int)i;
    }
    if (n % 100) bsp_pop_reg(a);
    bsp_sync();
    long grown = (resident_pages() - before) * (sysconf(_SC_PAGESIZE) / 1024);
    EXPECT(wrong == 0);
    EXPECT(before > 0 && grown <= 1024);
}

static void offsets(void) {
    size_t area = (size_t)5 << 30, far = ((size_t)4 << 30) + 12345;
    int x = 100 + bsp_pid(), y = 0;
    RULE("an area may have more than 4 GiB, and offsets reach all of it");
    unsigned char *p = mmap(NULL, area, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    EXPECT(p != MAP_FAILED);
    bsp_push_reg(p, area);
    bsp_sync();
    bsp_put(right(), &x, p, far, sizeof x);
    bsp_put(right(), &x, p, area - sizeof x, sizeof x);
    bsp_hpput(right(), &x, p, ((size_t)2 << 30) + 1, sizeof x);
    bsp_sync();
    memcpy(&y, p + far, sizeof y);
    EXPECT(y == 100 + left());
    memcpy(&y, p + area - sizeof y, sizeof y);
    EXPECT(y == 100 + left());
    memcpy(&y, p + ((size_t)2 << 30) + 1, sizeof y);
    EXPECT(y == 100 + left());
    bsp_get(right(), p, far, &y, sizeof y);
    bsp_pop_reg(p);
    bsp_sync();
    EXPECT(y == 100 + bsp_pid()); /* what was put there */
    munmap(p, area);
}

static size_t wrong_at(const unsigned char *p, size_t n, unsigned salt) {
    size_t wrong = 0;
    for (size_t i = 0; i < n; i += 4093) wrong += p[i] != (unsigned char)(i / 4093 * 31 + salt);
    return wrong + (p[n - 1] != 0x5a);
}

static void fill(unsigned char *p, size_t n, unsigned salt) {
    for (size_t i = 0; i < n; i += 4093) p[i] = (unsigned char)(i / 4093 * 31 + salt);
    p[n - 1] = 0x5a;
}

/* From rank 0 to the last alone: what is at stake is the width of the lengths. */
static void bytes(void) {
    size_t n = ((size_t)2 << 30) + 4321;
    bool from = bsp_pid() == 0, to = bsp_pid() == bsp_nprocs() - 1;
    unsigned char nothing, *src = from ? malloc(n) : &nothing, *dst = to ? calloc(1, n) : &nothing;
    if (!src || !dst) bsp_abort("long: out of memory");
    RULE("more than 2 GiB go in one put, hpput and get");
    bsp_push_reg(dst, to ? n : 0);
    bsp_push_reg(src, from ? n : 0);
    bsp_sync();
    if (from) fill(src, n, 1), bsp_put(bsp_nprocs() - 1, src, dst, 0, n);
    bsp_sync();
    EXPECT(!to || wrong_at(dst, n, 1) == 0);
    if (from) fill(src, n, 2);
    bsp_sync();
    if (from) bsp_hpput(bsp_nprocs() - 1, src, dst, 0, n);
    bsp_sync();
    EXPECT(!to || wrong_at(dst, n, 2) == 0);
    if (from) fill(src, n, 3);
    if (to) bsp_get(0, src, 0, dst, n);
    bsp_sync();
    EXPECT(!to || wrong_at(dst, n, 3) == 0);
    bsp_pop_reg(src);
    bsp_pop_reg(dst);
    bsp_sync();

    RULE("a message may have more than 2 GiB");
    if (to) free(dst);
    if (from) bsp_send(bsp_nprocs() - 1, NULL, src, n);
    if (from) free(src);
    bsp_sync();
    void *tag, *payload;
    size_t status;
    bsp_get_tag(&status, NULL);
    EXPECT(status == (to ? n : SIZE_MAX));
    EXPECT(!to || (bsp_hpmove(&tag, &payload) == (ptrdiff_t)n && wrong_at(payload, n, 3) == 0));
    bsp_sync();
}

static bool enough_memory(double gib) {
    FILE *f = fopen("/proc/meminfo", "r");
    char line[128];
    long kib = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %ld", &kib) == 1) break;
    if (f) fclose(f);
    return (double)kib / 1048576.0 >= gib;
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 1000000;
    if (!strcmp(what, "messages"))
        messages(n);
    else if (!strcmp(what, "growth"))
        growth(n);
    else if (!strcmp(what, "offsets"))
        offsets();
    else if (strcmp(what, "bytes") != 0)
        bsp_abort("long: messages, growth, offsets or bytes");
    else if (enough_memory(12.0))
        bytes();
    else
        RULE("more than 2 GiB in one call # SKIP less than 12 GiB of memory free");
    tap_done();
    bsp_end();
    return 0;
}

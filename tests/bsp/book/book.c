/* All textbook programs in one launch. */
#include "book.h"
#include "tap.h"

#include <bsp.h>
#include <stdlib.h>

void *book_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p) bsp_abort("book: out of memory");
    return p;
}

uint64_t book_random(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static void spmd(void) {
    bsp_begin(bsp_nprocs());
    book_inner_product();
    book_prefix();
    book_sort();
    book_lu();
    book_fft();
    book_spmv();
    book_matching();
    tap_done();
    bsp_end();
}

int main(int argc, char **argv) {
    bsp_init(spmd, argc, argv);
    spmd();
    return 0;
}

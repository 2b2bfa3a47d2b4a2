/* bench/overlap: what its workers can be ordered to do, with `size` bytes and `count` steps of work. */
#ifndef SUP_BENCH_OVERLAP_KINDS_H
#define SUP_BENCH_OVERLAP_KINDS_H

enum overlap_kind {
    OVERLAP_COMP, /* work, and an empty superstep */
    OVERLAP_COMM, /* unbuffered puts to the other process, and the sync */
    OVERLAP_BOTH  /* the puts, then the work, then the sync */
};

enum { OVERLAP_BYTES_MAX = 16 << 20 };

#endif

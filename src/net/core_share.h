/* Does somebody else want the core of this thread? Who waits asks before it goes on looking.
 *
 * The kernel counts for how long a thread was ready to run and did not (run delay). Beside one busy process that is
 * half of the time; beside none it is nothing, also where a host steals time from a virtual core that runs, which is no
 * reason to give the core away. But a host takes up to 6 ms to give an idle virtual core back, and that is counted: so
 * the delay says something only where the thread was also switched out against its will, and beyond what its own sleeps
 * explain. Switches alone say less (waking others causes them), and to yield for an answer costs a whole slice of the
 * scheduler where somebody is there. */
#ifndef SUP_NET_CORE_SHARE_H
#define SUP_NET_CORE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* What the kernel has counted of this thread. */
typedef struct sup_core_counts {
    int64_t ran_ns, kept_ns; /* on the core, and ready but kept from it; kept_ns negative: the kernel does not say */
    int64_t switched, slept; /* so many times: switched out against its will; of its own */
} sup_core_counts;

typedef struct sup_core_share {
    int64_t at_ns; /* when it was last asked; 0: never */
    sup_core_counts last;
    int64_t until_ns; /* the core counts as wanted until then … */
    int64_t hold_ns;  /* … because it was found so, and the more often the longer */
    bool unknown;     /* this kernel does not say */
} sup_core_share;

/* Some 4 µs every other millisecond, else nothing. since_ns: since when this thread has done nothing but look. */
bool sup_core_wanted(sup_core_share *share, int64_t now_ns, int64_t since_ns);

/* The judgement alone. */
bool sup_core_judge(sup_core_share *share, int64_t now_ns, int64_t since_ns, const sup_core_counts *counts);

#endif

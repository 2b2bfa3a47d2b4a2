/* The clock all measurements read, and the question whether a batch was disturbed while it ran.
 *
 *     double t = sup_clock_now();  …  t = sup_clock_now() - t;
 *
 * Code that must be testable takes a `const sup_clock *` instead and is given sup_clock_system() in real life and a
 * clock of its own making in tests. */
#ifndef SUP_BASE_CLOCK_H
#define SUP_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Monotonic time, the same for all processes of one machine, not slewed back by anybody. About 25–50 ns a call. The
 * double is exact to 4 ns after a year of uptime: differences that matter below that are taken in nanoseconds. */
int64_t sup_clock_ns(void);
double sup_clock_now(void);

/* A clock that can be replaced. resolution_s: smallest step seen between two different readings; overhead_s: cost of
 * one reading, which every interval contains once. */
typedef struct sup_clock {
    int64_t (*now_ns)(void *context);
    void *context;
    double resolution_s;
    double overhead_s;
} sup_clock;

/* The machine's clock, measured at the first call (about 1 ms, thread-safe); never NULL. */
const sup_clock *sup_clock_system(void);

/* Fills resolution_s and overhead_s from readings of the clock itself. A clock that stands still gets resolution 0. */
void sup_clock_measure(sup_clock *clock);

/* Seconds between two readings. */
static inline double sup_clock_seconds(int64_t from_ns, int64_t to_ns) { return (double)(to_ns - from_ns) * 1e-9; }

/* What happened to the calling thread during an interval. */
typedef struct sup_usage {
    double wall_s;
    double cpu_s;
    long involuntary; /* times another thread was given our core */
    long voluntary;   /* times we slept */
} sup_usage;

typedef struct sup_usage_mark {
    int64_t wall_ns;
    int64_t cpu_ns;
    long involuntary;
    long voluntary;
} sup_usage_mark;

/* Wraps a batch, on one thread: begin(&mark); batch; end(&mark, &usage). About 1 µs for both together, outside the
 * interval that usage->wall_s covers. */
void sup_usage_begin(sup_usage_mark *mark);
void sup_usage_end(const sup_usage_mark *mark, sup_usage *usage);

/* Was the thread switched out? True if another thread got the core, and for one that never sleeps (`spinning`) also if
 * its CPU time is well below wall time (by 5 % and more than 2 µs): that is how a throttled container looks. */
bool sup_usage_disturbed(const sup_usage *usage, bool spinning);

#endif

/* What all benchmarks share: contenders that run in turn, low quantiles and medians over rounds, floors, one table or
 * one JSON object.
 *
 *     bench b;
 *     int rc = bench_begin(&b, "net", argc, argv);
 *     if (rc >= 0) return rc;
 *     bench_contender c[] = {{"ours", our_batch, &ctx}, {"theirs", their_batch, &ctx}};
 *     bench_race(&b, c, 2);
 *     bench_row(&b, "copy", bench_scaled(c[0].time_s, 1e6), "us", bench_scaled(c[1].time_s, 1e6), "theirs", "<= 1.0");
 *     return bench_end(&b);
 *
 * A race warms every contender up, finds how many repetitions make a batch long enough for the clock, then runs rounds:
 * in each round every contender has one batch, beginning with another one each time, so that whatever the machine does
 * meanwhile happens to all of them alike. Nothing waits for a quiet moment. A batch does not count only if the kernel
 * says that a process lost its core during that very batch; for these there are more rounds at the end, for all, at
 * most as many again. Where too few are left all batches count, and the rows of that race are marked.
 *
 * Every time is two: the 10 % quantile of the batches that count, which is what the thing costs when nobody is in the
 * way and comes out the same in the next run, and their median, which is what it cost this time. Rows show the ratio of
 * both. **Floors are judged by the 10 % quantiles**; where the medians would say otherwise the row says so. */
#ifndef SUP_BENCH_HARNESS_H
#define SUP_BENCH_HARNESS_H

#include <stdbool.h>

/* Runs `reps` repetitions; *seconds is the time of all of them, *disturbed whether a process lost its core meanwhile.
 * false: it failed, and its rows say so. */
typedef bool bench_batch(void *context, long reps, double *seconds, bool *disturbed);

/* What came out, of times: the 10 % quantile and the median of all batches; of rates: what these two make. */
typedef struct bench_value {
    double low, median; /* < 0: BENCH_FAILED, BENCH_ABSENT */
} bench_value;

typedef struct bench_contender {
    const char *name;
    bench_batch *batch;
    void *context;
    long max_reps; /* 0: no limit */
    /* results */
    bench_value time_s; /* of one repetition */
    long reps;
    int clean, disturbed; /* batches that count, and those that do not */
    double *sample;
} bench_contender;

typedef struct bench_line bench_line;

typedef struct bench {
    const char *name;
    bool json, quick;
    int rounds;
    double batch_s;    /* wanted length of a batch */
    double deadline_s; /* when to stop adding rounds, on the clock of base/clock.h */
    bench_line *lines;
    int count, room;
    int disturbed, batches;
    bool shaky; /* a contender of the last race was disturbed too often: its rows say so */
} bench;

/* Reads the options --json, --quick, --rounds N, --help. Below 0: go on; else the exit status. */
int bench_begin(bench *b, const char *name, int argc, char **argv);

/* Fills time_s of every contender. */
void bench_race(bench *b, bench_contender *list, int count);

/* For a contender that is a plain function on this thread: times it and asks whether the thread was disturbed. */
bool bench_timed(void (*body)(void *context, long reps), void *context, long reps, double *seconds, bool *disturbed);

/* In place of a time or a rate. Failed: what was to be measured could not be. Absent: it is not to be had here, such as
 * an MPI that is not installed. */
#define BENCH_FAILED ((bench_value){-1.0, -1.0})
#define BENCH_ABSENT ((bench_value){-2.0, -2.0})

/* A number that was counted or is given: both are the same. Below 0 it is BENCH_FAILED. */
bench_value bench_exact(double value);
/* Could it be had? */
bool bench_there(bench_value value);
/* seconds × factor, and amount / seconds; failed and absent stay what they are. */
bench_value bench_scaled(bench_value seconds, double factor);
bench_value bench_rate(double amount, bench_value seconds);
/* Of those that could be run, the one with the least 10 % quantile. */
bench_value bench_least(bench_value a, bench_value b);
/* The quantile of some times, which get sorted. */
double bench_quantile(double *times, int count, double share);

/* One row. reference_name NULL: there is nothing to compare with, and no ratio. floor: NULL, or what the ratio must be,
 * "<= 0.8" or ">= 1.0". A value that failed is a row that says so and misses its floor; one that is absent makes no
 * row. A reference that failed or is absent is "no peer": the floor neither holds nor is missed. */
void bench_row(bench *b, const char *name, bench_value value, const char *unit, bench_value reference,
               const char *reference_name, const char *floor);

/* Prints everything and frees it. Always 0 unless out of memory: a missed floor is a result and not an error. */
int bench_end(bench *b);

/* Pins the calling thread to the index-th of the cores it may use, counted round. False: not permitted. */
bool bench_pin(int index);
/* Leaves the calling thread the first `count` of the cores it may use. False: not permitted. */
bool bench_confine(int count);
/* How many cores this process may use. */
int bench_cores(void);

#endif

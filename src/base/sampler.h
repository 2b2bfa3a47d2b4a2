/* The sampler that all measurements use: runs a piece of work until its time per repetition is known well enough.
 *
 *     sup_sampler_config c = sup_sampler_defaults();
 *     c.run = my_batch;  c.context = &my_state;
 *     sup_sampler_result r;
 *     status = sup_sampler_run(&c, diag, &r);
 *
 * Warm-up; batch size grown until a batch is far above the clock's resolution; samples (one batch each) until the
 * confidence interval is narrow enough or a limit is met. A batch that was disturbed does not count if others do;
 * a sample outside the Student-t interval of the others is measured again (BSP §4.1). */
#ifndef SUP_BASE_SAMPLER_H
#define SUP_BASE_SAMPLER_H

#include "base/clock.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the work `repetitions` times. The sampler times the call; a function that knows better (times a part, or takes
 * the maximum over processes) stores its seconds for the whole batch in *elapsed_s, which is negative on entry.
 * SUP_EBUSY: the batch was disturbed, do not count it. Any other failure ends the measurement. */
typedef sup_status (*sup_sampler_batch)(void *context, uint64_t repetitions, double *elapsed_s);

/* Watches a batch: begin before it, disturbed after it. Replaceable for tests. */
typedef struct sup_watch {
    void (*begin)(void *context);
    bool (*disturbed)(void *context);
    void *context;
} sup_watch;

/* The calling thread's own watch: involuntary switches, and for spinning work CPU time against wall time. state must
 * live as long as the watch. */
typedef struct sup_thread_watch {
    sup_usage_mark mark;
    bool spinning;
} sup_thread_watch;
sup_watch sup_watch_thread(sup_thread_watch *state, bool spinning);

typedef enum sup_centre { SUP_CENTRE_MEDIAN = 0, SUP_CENTRE_MEAN = 1 } sup_centre;

typedef enum sup_stop {
    SUP_STOP_PRECISE,  /* the interval is as narrow as wanted */
    SUP_STOP_SAMPLES,  /* max_samples taken */
    SUP_STOP_SECONDS,  /* max_seconds spent */
    SUP_STOP_REQUESTED /* the progress callback said so */
} sup_stop;

typedef struct sup_sampler_result {
    size_t n;
    sup_centre centre;       /* which one the interval is of */
    double median, mean, sd; /* seconds a repetition; sd is 0 for n = 1 */
    double ci_low, ci_high;  /* median: order statistics; mean: Student-t. n = 1: the sample itself and infinity */
    double ci_confidence;    /* that the interval really has: lower than wanted if n is small */
    double least, greatest;
    uint64_t batch;   /* repetitions in a sample */
    size_t reruns;    /* samples measured again because they lay outside the others' interval */
    bool unusual;     /* more of them than chance explains: do not trust the first samples */
    size_t rejected;  /* batches that did not count because something disturbed them */
    size_t disturbed; /* samples that were, and count because there were not enough others */
    double seconds;   /* spent, warm-up included */
    sup_stop stop;
} sup_sampler_result;

/* What the progress callback sees after each batch that counts. Return false to stop. */
typedef struct sup_sampler_progress {
    size_t n, max_samples;
    double relative; /* half width of the interval / centre at the last check; infinity before the first one */
    double wanted_relative;
    double seconds, max_seconds;
    size_t rejected;
} sup_sampler_progress;

typedef struct sup_sampler_config {
    sup_sampler_batch run;
    void *context;
    const sup_clock *clock;       /* NULL: sup_clock_system() */
    sup_watch watch;              /* begin NULL: the calling thread's, not spinning; see no_watch */
    bool no_watch;                /* count every batch */
    bool spinning;                /* for the default watch: the work never sleeps */
    unsigned warmup;              /* batches of one repetition before anything counts */
    uint64_t batch;               /* repetitions a sample; 0: found by growth */
    uint64_t max_batch;           /* limit of the growth */
    double min_batch_resolutions; /* a batch lasts at least this many times the clock's resolution + overhead */
    double min_batch_s;           /* and at least so long */
    sup_centre centre;
    double confidence;      /* of the interval, 0 … 1 */
    double wanted_relative; /* half width / centre at which it is good enough; 0: go on to a limit */
    size_t min_samples, max_samples;
    double max_seconds;        /* 0: no limit. One sample is taken even if it alone exceeds it */
    double outlier_confidence; /* of the others' interval; 0: no re-runs */
    size_t max_reruns;         /* 0: as many as samples */
    unsigned patience; /* rejections in a row before a disturbed batch is kept; fewer where most are disturbed */
    bool (*progress)(void *context, const sup_sampler_progress *progress);
    void *progress_context;
    double *samples; /* if not NULL: room for max_samples, gets the n samples in the order taken */
} sup_sampler_config;

/* Median to 1 % with 95 % confidence, 30 … 300 samples of at least 1000 clock steps, 95 % outlier rule, 10 s. */
sup_sampler_config sup_sampler_defaults(void);

/* SUP_EINVAL: the configuration contradicts itself. SUP_EINTR: stopped by the callback; *result then holds what was
 * measured so far (n may be 0). What run returned, if that was neither SUP_OK nor SUP_EBUSY; diag is then left to run.
 */
sup_status sup_sampler_run(const sup_sampler_config *config, sup_diag *diag, sup_sampler_result *result);

#endif

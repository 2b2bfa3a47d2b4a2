/* What predict and compare share: reading the program (described or recorded) and the profile, and results as JSON. */
#ifndef SUP_CLI_PREDICT_H
#define SUP_CLI_PREDICT_H

#include "cli/cli.h"
#include "measure/campaign.h"
#include "model/carry.h"
#include "model/model.h"
#include "net/launch.h"
#include "trace/trace.h"

#define SUP_PREDICTION_KIND "superstep-prediction"

typedef struct sup_predict_request {
    const char *program, *profile, *recorded_on;
    const char *net, *model, *what_if, *extend, *barrier, *counts, *sweep, *plot, *engine;
    double recorded_scale; /* 0: not given */
    int64_t processes;
    double confidence;
    double limit; /* of compare: greatest mean error, percent */
    bool json;
} sup_predict_request;

const char *sup_model_word(size_t index);

/* Options that both have. */
/* clang-format off */
#define SUP_PREDICT_NET(text) \
    {"net", .value = "NAME", SUP_TO(sup_predict_request, net), .word = sup_campaign_net, .help = text}
#define SUP_PREDICT_ENGINE \
    {"engine", .value = "ENGINE", .kind = SUP_VALUE_WORD, SUP_TO(sup_predict_request, engine), \
     .words = sup_launch_engines, .help = "of the runtime: {words}; that of the trace otherwise"}
#define SUP_PREDICT_RECORDED_ON \
    SUP_FILE("recorded-on", sup_predict_request, recorded_on, \
             "profile of the machine of the trace: scales its computation")
#define SUP_PREDICT_RECORDED_SCALE \
    {"recorded-scale", .value = "X", SUP_TO(sup_predict_request, recorded_scale), .low = 1e-6, .high = 1e6, \
     .what = "a factor", .help = "times of recorded computation here; 1 keeps them"}
#define SUP_PREDICT_BARRIER(text) \
    {"barrier", .value = "NAME", .kind = SUP_VALUE_FILE, SUP_TO(sup_predict_request, barrier), \
     .word = sup_generator_word, .help = text}
/* clang-format on */

/* Everything read, ready for any number of processes. */
typedef struct sup_predict_input {
    sup_trace *trace; /* NULL: described */
    sup_program *program;
    sup_profile *profile, *recorded_on;
    const sup_generator *barrier_asked; /* by name, for any number of processes; NULL */
    sup_pattern barrier;                /* processes 0: none asked for */
    char known[160]; /* what the profile knows of a recorded program itself, for people; "" nothing */
} sup_predict_input;

/* The diag names the file. */
sup_status sup_predict_open(const sup_predict_request *request, sup_diag *diag, sup_predict_input *out);
void sup_predict_close(sup_predict_input *input);

/* A platform for P processes (0: as the program or the profile says), and the program fitted to it. */
sup_status sup_predict_platform(const sup_predict_request *request, sup_predict_input *input, int64_t processes,
                                bool what_if, sup_diag *diag, sup_platform **out);

/* ---- output ---- */

/* "12.3 us", to three digits. Returns buf. */
char *sup_time_text(double seconds, char *buf, size_t size);

/* SUP_EMISMATCH: the trace's computation is that of another machine than the profile's. */
sup_status sup_predict_carries(const sup_trace *trace, const sup_profile *profile, sup_diag *diag);

/* Seconds that reading the clock adds to every time of a trace; 0 unknown. */
double sup_predict_clock(const sup_profile *profile);
/* A recorded time without looking at the clock, which half of a very short one is taken to be. */
double sup_predict_without(double seconds, double clock_s);
/* The same of all computation of a recorded program. */
void sup_predict_forget_clock(sup_program *program, double clock_s);

json_t *sup_prediction_json(sup_prediction p);
/* One model's answer. */
json_t *sup_predict_json(const sup_predict_input *input, const sup_platform *platform, const sup_model *model,
                         const sup_program_cost *cost);
void sup_predict_print(const sup_predict_input *input, const sup_platform *platform, const sup_model *model,
                       const sup_program_cost *cost);

/* Total with its interval and the four parts, in columns. */
void sup_predict_columns(const sup_program_cost *cost);

/* predict_sweep.c: the exit code. */
int sup_predict_sweep(const sup_predict_request *request, sup_predict_input *input, const sup_model *model);

#endif

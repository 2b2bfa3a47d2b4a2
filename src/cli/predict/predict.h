/* What predict and compare share: reading the program (described or recorded) and the profile, and results as JSON. */
#ifndef SUP_CLI_PREDICT_PREDICT_H
#define SUP_CLI_PREDICT_PREDICT_H

#include "cli/frame/cli.h"
#include "measure/campaign/campaign.h"
#include "model/equation/model.h"
#include "model/platform/carry.h"
#include "net/launch/launch.h"
#include "program/scale.h"
#include "trace/trace.h"

#define SUP_PREDICTION_KIND "superstep-prediction"
enum { SUP_PREDICT_PROGRAMS_MAX = 7 };

typedef struct sup_predict_request {
    const char *program, *profile, *recorded_on;
    const char *net, *model, *what_if, *extend, *barrier, *counts, *sweep, *plot, *engine;
    double recorded_scale;                      /* 0: not given */
    const char *scaling, *rule, *check;         /* of a sweep */
    const char *more[SUP_PREDICT_PROGRAMS_MAX]; /* traces of the same program on other numbers of processes */
    int more_count;
    int64_t processes;
    double confidence;
    double limit; /* of compare: greatest mean error, percent */
    bool json, force;
    bool extends; /* the verb has --extend */
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
    {"barrier", .value = "NAME[:RADIX]", .kind = SUP_VALUE_FILE, SUP_TO(sup_predict_request, barrier), \
     .word = sup_generator_word, .help = text}
/* clang-format on */

/* Everything read, ready for any number of processes. */
typedef struct sup_predict_input {
    sup_trace *trace; /* NULL: described */
    sup_program *program;
    sup_profile *profile, *recorded_on;
    sup_pattern_kind barrier_asked; /* by name, for any number of processes; generator NULL: not by name */
    sup_pattern barrier;            /* processes 0: none asked for */
    char known[160];                /* what the profile knows of a recorded program itself, for people; "" nothing */
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
/* Parts of calls and sync that are there because something happens for the first time, by name. */
json_t *sup_first_json(const double seconds[SUP_FIRST_PARTS]);
/* One model's answer. */
json_t *sup_predict_json(const sup_predict_input *input, const sup_platform *platform, const sup_model *model,
                         const sup_program_cost *cost);
void sup_predict_print(const sup_predict_input *input, const sup_platform *platform, const sup_model *model,
                       const sup_program_cost *cost);

/* A line that says what the machine of the profile is composed of; nothing where it was measured. */
void sup_predict_machine(const sup_profile *profile);
/* Total with its interval and the four parts, in columns. */
void sup_predict_columns(const sup_program_cost *cost);

/* The time that a run is told to take. */
sup_prediction sup_predict_time(const sup_program_cost *cost);

/* ---- sweeps ---- */

/* predict/scale.c: the program on other numbers of processes. */
typedef struct sup_predict_scale {
    sup_predict_input more[SUP_PREDICT_PROGRAMS_MAX];
    int more_count;
    sup_rule rule;
    sup_scaling *law; /* of a trace; NULL: a description, or a trace on its own number only */
    int kind;         /* sup_scaling_kind */
    bool changed;     /* a description that is not taken as it is */
    int64_t first;
} sup_predict_scale;

/* first: the least number of processes that is asked for. */
sup_status sup_predict_scale_open(const sup_predict_request *request, const sup_predict_input *input,
                                  const sup_sweep *sweep, sup_diag *diag, sup_predict_scale *out);
void sup_predict_scale_close(sup_predict_scale *scale);
/* *out NULL: the program as it was read; otherwise to be freed. */
sup_status sup_predict_scale_at(const sup_predict_scale *scale, const sup_predict_input *input, int64_t processes,
                                sup_diag *diag, sup_program **out);

/* predict/check.c: what the laws of a scaling say of a trace that they were not made from. Prints, or returns JSON. */
sup_status sup_predict_check(const sup_predict_request *request, sup_predict_input *input,
                             const sup_predict_scale *scale, const sup_model *model, sup_diag *diag, json_t **json);

/* One number of processes of a sweep. */
enum { SUP_SWEEP_KERNELS = 16, SUP_SWEEP_NOISE = 4, SUP_SWEEP_PARTS };
extern const char *const sup_sweep_parts[]; /* sup_bound_names, and "noise" */
typedef struct sup_sweep_kernel {
    char name[64]; /* "": seconds */
    double footprint, unit_s, all_s;
} sup_sweep_kernel;
typedef struct sup_sweep_row {
    int64_t processes;
    sup_prediction time;
    double part_s[SUP_SWEEP_PARTS]; /* by sup_bound, calm; and what a run takes beyond that */
    int bound;                      /* the greatest part: a name of sup_sweep_parts */
    bool tie;
    double speedup, efficiency;
    sup_sweep_kernel kernels[SUP_SWEEP_KERNELS];
    int kernel_count;
    char reason[320]; /* why it is more efficient than the first; "" it is not */
    bool unexplained;
    json_t *json; /* NULL */
} sup_sweep_row;
typedef struct sup_sweep_result {
    sup_sweep_row *rows;
    int count;
    bool strong;
    int stops; /* row from which on more processes are of no use; -1 none */
    char why[320];
    char title[160];
} sup_sweep_result;

/* predict/reason.c: fills speedup, efficiency and the reasons of all rows, and where scaling stops. */
void sup_sweep_judge(sup_sweep_result *result);
/* predict/plot.c: data, script and figure in a folder; exit code. Before: is anything in their way? `force`: old ones
 * may be replaced. */
int sup_sweep_plot_check(const char *folder, bool force);
int sup_sweep_plot(const sup_sweep_result *result, const char *folder, bool force);

/* predict/sweep.c: the exit code. */
int sup_predict_sweep(const sup_predict_request *request, sup_predict_input *input, const sup_model *model);

#endif

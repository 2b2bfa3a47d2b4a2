/* τ-Lop cost expressions (TAU; PART §5.1): built, read, printed, simplified, evaluated. Tcomm, model stage.
 *
 *     sup_exprs *x = sup_exprs_new();
 *     sup_expr *e = sup_expr_many(x, 4, sup_expr_send(x, 0, 65536, 1));          4 ‖ T⁰(64K)
 *     sup_expr_read(x, "2 || T0(64K) + T1(1M)", &diag, &e);                      (2 ‖ T⁰(64K)) + T¹(1M)
 *     sup_taulop_cost(costs, &sup_evaluator_fluid, e, &diag, &seconds);
 *
 * Expressions belong to their sup_exprs and go with it; they are never changed, parts may be shared. A constructor that
 * finds no memory or a wrong argument marks its sup_exprs: sup_exprs_status, so that long expressions are checked once.
 */
#ifndef SUP_MODEL_TAULOP_TAULOP_H
#define SUP_MODEL_TAULOP_TAULOP_H

#include "base/status.h"
#include "profile/channel.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>

#define SUP_EXPR_CHANNEL_MAX 65535
#define SUP_EXPR_DEPTH_MAX 200

typedef enum sup_expr_kind {
    SUP_EXPR_SEND,     /* T^c(m), τ of them already under way: channel, bytes, tau */
    SUP_EXPR_TRANSFER, /* L^c(m, τ): one transfer alone, without overhead */
    SUP_EXPR_FOLD,     /* γ(m, τ): m bytes folded by each of τ */
    SUP_EXPR_WAIT,     /* so many seconds, whatever else happens */
    SUP_EXPR_SEQUENCE, /* one after the other: + */
    SUP_EXPR_TOGETHER, /* at the same time: ‖ */
    SUP_EXPR_TIMES,    /* n times one after the other: n · e */
    SUP_EXPR_MANY      /* n of them at the same time: n ‖ e */
} sup_expr_kind;

typedef struct sup_expr sup_expr;
struct sup_expr {
    int kind;
    int channel;
    double bytes, tau; /* tau ≥ 1 */
    double times;      /* TIMES, MANY: whole, ≥ 1 */
    double seconds;    /* WAIT */
    size_t count;      /* of parts */
    const sup_expr **parts;
};

typedef struct sup_exprs sup_exprs;
sup_exprs *sup_exprs_new(void); /* NULL: no memory */
void sup_exprs_free(sup_exprs *x);
sup_status sup_exprs_status(const sup_exprs *x, sup_diag *diag);

sup_expr *sup_expr_send(sup_exprs *x, int channel, double bytes, double tau);
sup_expr *sup_expr_transfer(sup_exprs *x, int channel, double bytes, double tau);
sup_expr *sup_expr_fold(sup_exprs *x, double bytes, double tau);
sup_expr *sup_expr_wait(sup_exprs *x, double seconds);
sup_expr *sup_expr_sequence(sup_exprs *x, const sup_expr *const *parts, size_t count);
sup_expr *sup_expr_together(sup_exprs *x, const sup_expr *const *parts, size_t count);
sup_expr *sup_expr_times(sup_exprs *x, double times, const sup_expr *e);
sup_expr *sup_expr_many(sup_exprs *x, double times, const sup_expr *e);

double sup_expr_transmissions(const sup_expr *e); /* how many, τ of one counted */
bool sup_expr_equal(const sup_expr *a, const sup_expr *b);

/* Text, as the papers write it or with the characters of a keyboard:
 *
 *     T0(64K)   T⁰(64K)   T(64K)     one transmission through channel 0; T1(1M, 4): τ = 4, as 4 ‖ T1(1M)
 *     L0(8K,2)                       one transfer; G(8K, 2), γ(8K, 2) a fold; W(3us) so long a wait; 0 nothing
 *     X + Y                          one after the other
 *     X || Y   X ‖ Y                 at the same time
 *     4 || X   4 ‖ X                 four of X at the same time
 *     3 * X    3 · X    3 X          three times one after the other
 *     (X + Y)  [X + Y]               nested freely, up to 200 deep
 *
 * A number takes what comes next, a transmission or brackets, then ‖ binds, then +: 2 ‖ T0(a) + 2 ‖ T1(d) + T1(b) is
 * (2 ‖ T0(a)) + (2 ‖ T1(d)) + T1(b), as PART §5.1 writes it, and 2 ‖ T0(a) ‖ T1(b) is (2 ‖ T0(a)) ‖ T1(b). Sizes are
 * bytes, or have K, M, G or T behind them (powers of 1024, either case, a B may follow).
 *
 * SUP_EINVAL: diag has three lines, what is wrong, the text and a caret under the place. */
sup_status sup_expr_read(sup_exprs *x, const char *text, sup_diag *diag, const sup_expr **out);
/* As the papers write it (UTF-8), or in the syntax of sup_expr_read. Returns the length it would have, as snprintf. */
size_t sup_expr_print(const sup_expr *e, bool plain, char *text, size_t size);

/* A1, A2, A3 and the distribution of ‖ over +. costs: decides which of two channels is the longer one (A3); NULL: they
 * stay side by side. */
typedef struct sup_taulop_costs sup_taulop_costs;
sup_status sup_expr_simplify(sup_exprs *x, const sup_expr *e, const sup_taulop_costs *costs, const sup_expr **out);

/* ---- what things cost ---- */

/* One channel: n transfers a segment, segments of S, protocol threshold H (TAU §3). */
typedef struct sup_taulop_channel {
    int number;
    double segment_bytes, threshold_bytes; /* < 0: none */
    double whole_bytes; /* up to so many, L is of whole messages: what segments bring is in it. 0: L is of one piece */
    /* Shared memory, through which a message passes at both ends too: T¹ = o¹ + 2L⁰ + L¹ (TCP). NULL: it does not. */
    const struct sup_taulop_channel *ends;
    int (*transfers)(const struct sup_taulop_channel *channel, double bytes);
    double (*overhead)(const struct sup_taulop_channel *channel, double bytes);
    double (*transfer)(const struct sup_taulop_channel *channel, double bytes, double tau);
    const void *context;
} sup_taulop_channel;

struct sup_taulop_costs {
    sup_taulop_channel *channels;
    size_t channels_count;
    double (*fold)(const sup_taulop_costs *costs, double bytes, double tau); /* γ; NULL: none */
    const void *context;
};
const sup_taulop_channel *sup_taulop_channel_of(const sup_taulop_costs *costs, int number); /* NULL: there is none */

/* From the channels of a profile's transport. The profile must stay. SUP_ENOENT: which measurement is missing. */
sup_status sup_taulop_open(const sup_profile *profile, const char *transport, sup_diag *diag, sup_taulop_costs **out);
void sup_taulop_close(sup_taulop_costs *costs);

/* T^c(m), τ of them at once: o + Σ L over the stages of the channel's pipeline (TAU eq. (9)): k segments of m/k bytes
 * where a message passes a buffer in segments, n transfers each, of which up to n are under way at once. */
double sup_taulop_send(const sup_taulop_channel *channel, double bytes, double tau);
/* Its two parts: until data enters the channel, and from then on. */
double sup_taulop_overhead(const sup_taulop_channel *channel, double bytes);
double sup_taulop_moving(const sup_taulop_channel *channel, double bytes, double tau);

/* An evaluator: how concurrent parts share channels. A file taulop/NAME.c and a row of the table. */
typedef struct sup_evaluator {
    const char *name, *summary;
    sup_status (*cost)(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag, double *seconds);
} sup_evaluator;
extern const sup_evaluator sup_evaluator_paper, sup_evaluator_fluid;
extern const sup_evaluator *const sup_evaluators[]; /* the default first, NULL at the end */

/* Has it got all that the expression needs? SUP_ENOENT: a channel, or γ, that the costs do not have. */
sup_status sup_taulop_check(const sup_taulop_costs *costs, const sup_expr *e, sup_diag *diag);

/* SUP_ENOENT: a channel that the costs do not have; SUP_EINVAL: repetitions beside one another that are too many to be
 * followed one by one. */
sup_status sup_taulop_cost(const sup_taulop_costs *costs, const sup_evaluator *evaluator, const sup_expr *e,
                           sup_diag *diag, double *seconds);

#endif

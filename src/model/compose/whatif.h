/* Small languages that change a platform (whatif.c) or say for how many processes it is (sweep.c). */
#ifndef SUP_MODEL_COMPOSE_WHATIF_H
#define SUP_MODEL_COMPOSE_WHATIF_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sup_edit_what { SUP_EDIT_O, SUP_EDIT_L, SUP_EDIT_B, SUP_EDIT_RATE, SUP_EDIT_SYNC } sup_edit_what;

/* One what-if: this quantity of these ranks (pairs) times a factor. */
typedef struct sup_edit {
    int what;
    bool ranged;
    int64_t from[2], to[2]; /* closed ranges */
    double factor;
} sup_edit;

sup_status sup_edits_parse(const char *text, int64_t processes, sup_diag *diag, sup_edit **out, size_t *count);
/* How many times as fast a rank computes. */
double sup_edits_rate(const sup_edit *edits, size_t count, int64_t rank);
/* "nodes=1024" → 1024. */
sup_status sup_extend_parse(const char *text, sup_diag *diag, int64_t *nodes);

/* sweep.c: numbers of processes. SUP_EINVAL with what was expected. */
enum { SUP_SWEEP_MAX = 256 };
typedef struct sup_sweep {
    int64_t at[SUP_SWEEP_MAX];
    int count; /* at least 1 */
} sup_sweep;
sup_status sup_sweep_parse(const char *text, sup_diag *diag, sup_sweep *out);

#endif

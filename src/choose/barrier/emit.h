/* A barrier as C source (stage choose, term Tsync): one function that needs nothing of ours, the pattern hard-coded for
 * each rank, for programs that want the barrier without the library (BSP ch. 7).
 *
 * A form is one file emit_NAME.c with a const sup_emit_form, and a row of the table in emit.c. */
#ifndef SUP_CHOOSE_BARRIER_EMIT_H
#define SUP_CHOOSE_BARRIER_EMIT_H

#include "base/pattern/pattern.h"

#include <stdio.h>

#define SUP_EMIT_EDGES_MAX 1000000 /* signals; more are too much for a compiler */
#define SUP_EMIT_NAME_MAX 63       /* characters of a name that every compiler tells apart */

typedef struct sup_emit_source {
    const sup_pattern *pattern;
    const char *function; /* its name */
    const char *title;    /* what it is: "tree:4"; one line */
    /* filled by sup_emit_barrier */
    sup_pattern_edge *edges; /* by stage, sender, receiver */
    size_t *order[2];        /* indices of edges: as they are; by stage, receiver, sender */
    size_t *begin;           /* [stages + 1] */
    size_t count;
} sup_emit_source;

typedef struct sup_emit_form {
    const char *name; /* "mpi", "shm" */
    const char *help;
    sup_status (*write)(const sup_emit_source *source, FILE *out);
} sup_emit_form;

extern const sup_emit_form sup_emit_mpi, sup_emit_shm;

/* Writes the function. The caller vouches that the pattern is a barrier. SUP_EINVAL: no name of C, or too many signals;
 * SUP_ENOMEM; SUP_EIO. */
sup_status sup_emit_barrier(const sup_emit_form *form, const sup_pattern *pattern, const char *function,
                            const char *title, FILE *out, sup_diag *diag);

/* For forms. The comment's first lines: what the function is. */
void sup_emit_about(const sup_emit_source *source, FILE *out);
/* Signals that `rank` has in a stage, as indices of source->edges: those it sends, or (receives) those it waits for. */
const size_t *sup_emit_own(const sup_emit_source *source, int stage, int64_t rank, bool receives, size_t *count);
/* Source with the function's name for @F, the same in capitals for @U, the processes for @P, the last rank for @L, and
 * `number` for @N. */
void sup_emit_text(const sup_emit_source *source, const char *text, size_t number, FILE *out);
/* The most signals that a rank has in one stage, sent and received together. */
size_t sup_emit_most(const sup_emit_source *source);

#endif

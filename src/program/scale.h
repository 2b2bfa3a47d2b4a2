/* Recorded programs on other numbers of processes: how work and h-relations change with P.
 *
 *     sup_rule rule;                                          said by the user
 *     sup_rule_parse("work=n/P, bytes=n^(2/3)/P^(2/3)", &diag, &rule);
 *     sup_scaling *s;
 *     sup_scaling_rule(recorded, &rule, weak, &diag, &s);     or
 *     sup_scaling_fit(recorded, 3, &diag, &s);                found in traces of two or three numbers of processes
 *     sup_program *p;
 *     sup_scaling_at(s, 65536, &diag, &p);
 *
 * Who sends to whom is recognised (recognise.c) and made anew by a generator of program.h, so that a million processes
 * cost no memory. What is not recognised exists on the recorded number of processes only. */
#ifndef SUP_PROGRAM_SCALE_H
#define SUP_PROGRAM_SCALE_H

#include "program/program.h"

/* ---- rule.c: small expressions in P, P0 (of the recording) and n (size of the problem) ---- */

typedef enum sup_rule_quantity {
    SUP_RULE_WORK,
    SUP_RULE_BYTES,
    SUP_RULE_MESSAGES,
    SUP_RULE_TIMES,
    SUP_RULE_QUANTITIES
} sup_rule_quantity;
typedef enum sup_partners {
    SUP_PARTNERS_AS_RECORDED,
    SUP_PARTNERS_CONST,
    SUP_PARTNERS_ALL,
    SUP_PARTNERS_LOG2
} sup_partners;

typedef struct sup_rule {
    char *text;
    int begin[SUP_RULE_QUANTITIES], end[SUP_RULE_QUANTITIES]; /* of its expression in text; both 0: does not change */
    double n;
    int partners; /* sup_partners */
} sup_rule;

/* "work=n/P, bytes=1, partners=const, n=1e6". SUP_EINVAL with the column of what is wrong. */
sup_status sup_rule_parse(const char *text, sup_diag *diag, sup_rule *out);
void sup_rule_free(sup_rule *rule);
/* How many times as much as recorded on P0 with size rule->n, on P with size n. SUP_EINVAL: not finite, or nothing at
 * P0 that could grow. */
sup_status sup_rule_factor(const sup_rule *rule, int quantity, double p0, double p, double n, sup_diag *diag,
                           double *out);

/* ---- fit.c: power laws ---- */

typedef struct sup_law {
    double x0, value, exponent; /* value · (x / x0)^exponent */
    double off;                 /* greatest relative deviation of a point that it was made from */
    int points;
} sup_law;

/* Points with NaN are left out. One point: does not change; two: exactly; more: least squares of logarithms. false:
 * some are 0 and others are not. */
bool sup_law_fit(const double *x, const double *y, int count, sup_law *out);
double sup_law_at(const sup_law *law, double x);

/* ---- recognise.c: who sends to whom ---- */

/* What one superstep moves in one way. */
typedef struct sup_traffic {
    int move;
    bool self; /* processes with themselves */
    double overlap;
    sup_edge *edges; /* sorted, one for each pair */
    size_t count;
} sup_traffic;
enum { SUP_TRAFFIC_MAX = 2 * SUP_MOVES, SUP_RECOGNISED_PARTS = 3 };

/* The groups of a step. SUP_ENOMEM. */
sup_status sup_traffic_of(const sup_step *step, int64_t processes, sup_traffic out[SUP_TRAFFIC_MAX], int *count);
void sup_traffic_free(sup_traffic *groups, int count);

/* A way in which processes send to each other on any number of them. */
typedef struct sup_recognised {
    int kind;      /* row of the table of shapes; -1: none */
    int64_t about; /* offset or root, where it has one */
} sup_recognised;
const char *sup_recognised_name(int kind); /* NULL: no more */
/* Does the group look so? Fills about. */
bool sup_recognised_fits(int kind, const sup_traffic *group, int64_t processes, sup_recognised *out);
/* Parts of it that may move different amounts (the axes of a grid), and the flow of one. x: what the amounts depend on
 * by a power law: P, or on grids the processes across the axis. */
int sup_recognised_parts(int kind);
double sup_recognised_x(int kind, int part, int64_t processes);
void sup_recognised_flow(const sup_recognised *shape, int part, int64_t processes, sup_flow *out);
/* Messages and bytes of one edge of a part: of the process that moves most. NaN: the part has no edges here. */
typedef struct sup_edge_amount {
    double messages, bytes;
} sup_edge_amount;
sup_status sup_recognised_amount(const sup_recognised *shape, int part, const sup_traffic *group, int64_t processes,
                                 sup_edge_amount *out);

/* ---- scale.c ---- */

typedef struct sup_scaling sup_scaling;

/* weak: the problem grows as P does. The programs, and the text of the rule, must outlive it. SUP_EINVAL: they do not
 * belong together, with the superstep and the reason. */
sup_status sup_scaling_rule(const sup_program *recorded, const sup_rule *rule, bool weak, sup_diag *diag,
                            sup_scaling **out);
sup_status sup_scaling_fit(const sup_program *const *recorded, int count, sup_diag *diag, sup_scaling **out);
void sup_scaling_free(sup_scaling *scaling);
/* The program on P processes. SUP_EINVAL: something cannot be carried over, with the reason. */
sup_status sup_scaling_at(const sup_scaling *scaling, int64_t processes, sup_diag *diag, sup_program **out);
/* Work of the greatest superstep falls faster than as P^-0.5: strong scaling. */
bool sup_scaling_strong(const sup_scaling *scaling);
/* What was found in a superstep, for people: "ring, bytes ~ P^-0.50". Returns buf. */
char *sup_scaling_text(const sup_scaling *scaling, size_t step, char *buf, size_t size);
size_t sup_scaling_steps(const sup_scaling *scaling);
/* Something that the user should know, "" nothing. */
const char *sup_scaling_note(const sup_scaling *scaling);

/* describe.c: a description as if its problem were P/P0 times as large (weak), or the same for all P (strong). */
typedef enum sup_scaling_kind { SUP_SCALING_AS_IS, SUP_SCALING_STRONG, SUP_SCALING_WEAK } sup_scaling_kind;
/* As the description says: strong where all its units are totals. */
sup_scaling_kind sup_program_scaling(const sup_program *program);
sup_status sup_program_scaled(const sup_program *program, int kind, int64_t first, int64_t processes, sup_diag *diag,
                              sup_program **out);

#endif

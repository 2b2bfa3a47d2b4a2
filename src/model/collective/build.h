/* Stages of a collective made into expressions: collective/expression.c. Term Tcomm, model stage. */
#ifndef SUP_MODEL_COLLECTIVE_BUILD_H
#define SUP_MODEL_COLLECTIVE_BUILD_H

#include "model/collective/stages.h"

/* As the papers write them. One expression a stage, once, however often it comes; out[s->stages_count], NULL: nothing
 * happens. */
sup_status sup_stages_expressions(sup_exprs *x, const sup_stages *s, sup_diag *diag, const sup_expr **out);
/* All of them in sequence. */
sup_status sup_stages_expression(sup_exprs *x, const sup_stages *s, sup_diag *diag, const sup_expr **out);
/* The same for being priced: waiting for a signal takes signal_s (0: nothing), copies and further messages of a process
 * go through channels of their own (memory.h). */
sup_status sup_stages_priced(sup_exprs *x, const sup_stages *s, double signal_s, sup_diag *diag, const sup_expr **out);

#endif

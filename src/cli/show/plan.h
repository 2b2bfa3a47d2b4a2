/* `superstep show` of a plan. */
#ifndef SUP_CLI_SHOW_PLAN_H
#define SUP_CLI_SHOW_PLAN_H

#include "base/file/json.h"

/* Prints the plan that the document is, for people or as JSON; exit code. */
int sup_show_plan(const sup_json *doc, bool json);

#endif

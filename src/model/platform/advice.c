/* What a refused question advises: which command would measure what is missing, if there is one. Nothing is advised
 * that would be refused in turn: `self` has nothing to measure between processes, and what composed machines call `mpi`
 * is no transport of any machine. */
#include "model/equation/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const measured[] = {"shm", "openmpi", "mpich"};

char *sup_model_advice(const char *transport, int64_t processes, char text[SUP_MODEL_ADVICE]) {
    char count[40] = "";
    text[0] = 0;
    if (processes > 1) snprintf(count, sizeof count, " -n %" PRId64, processes);
    if (processes > SUP_MODEL_MEASURED_MOST) return text;
    for (size_t i = 0; transport && i < sizeof measured / sizeof *measured; i++)
        if (!strcmp(transport, measured[i]))
            snprintf(text, SUP_MODEL_ADVICE, "; `superstep measure%s --net %s` measures that", count, transport);
    return text;
}

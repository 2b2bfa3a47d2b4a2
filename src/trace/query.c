/* What models ask a trace: what a process met in a superstep. A pure function of the trace. */
#include "trace/trace.h"

const sup_trace_step *sup_trace_step_of(const sup_trace *trace, size_t which, int64_t rank) {
    if (which >= trace->classes_count || rank < 0 || rank >= (int64_t)trace->processes_count) return NULL;
    return &trace->processes[rank].steps[trace->classes[which].steps[rank]];
}

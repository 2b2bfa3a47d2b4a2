/* Switching the recording of a trace (superstep run --trace FILE, superstep-trace(5)) off and on again, so that phases
 * of a program that are of no interest are left out of it.
 *
 * A superstep is recorded if at the sync that ends it recording is on in every process; so it is enough that one
 * process calls these. Recording is on at the start. Where no trace is asked for they do nothing. They may be called
 * anywhere, also before bsp_begin. Cost: none; communicate nothing. */
#ifndef SUPERSTEP_TRACE_H
#define SUPERSTEP_TRACE_H

#include <superstep/version.h>

#ifdef __cplusplus
extern "C" {
#endif

SUP_API void sup_trace_off(void);
SUP_API void sup_trace_on(void);

#ifdef __cplusplus
}
#endif
#endif

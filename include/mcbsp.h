/* For programs that were written for MulticoreBSP for C: its header's name, types and signs. The calls are those of
 * bsp.h, which has all of MulticoreBSP's, bsp_direct_get and bsp_hpsend too, and takes pointers to its types.
 *
 * As there, numbers and counts of processes are unsigned, sizes size_t; with MCBSP_COMPATIBILITY_MODE defined before,
 * all three are int. Processes are processes here, not threads: they share no variables, and a section does not start
 * sections of its own. Where processes run is the launcher's business (superstep run --place), so mcbsp-affinity.h is
 * not here. */
#ifndef SUPERSTEP_MCBSP_H
#define SUPERSTEP_MCBSP_H

#include <bsp.h>

/* Programs for several libraries ask for this before they define bsp_pid_t, bsp_nprocs_t and bsp_size_t themselves. */
#ifndef _H_MCBSP
#define _H_MCBSP
#endif

#ifdef MCBSP_COMPATIBILITY_MODE
typedef int mcbsp_pid_t;
typedef int mcbsp_nprocs_t;
typedef int mcbsp_size_t;
#define MCBSP_PROCESSOR_INDEX_DATATYPE int
#define MCBSP_NUMMSG_TYPE int
#define MCBSP_BYTESIZE_TYPE int
#else
typedef unsigned int mcbsp_pid_t;
typedef unsigned int mcbsp_nprocs_t;
typedef size_t mcbsp_size_t;
#define MCBSP_PROCESSOR_INDEX_DATATYPE unsigned int
#define MCBSP_NUMMSG_TYPE unsigned int
#define MCBSP_BYTESIZE_TYPE size_t
/* Compared with unsigned variables all over such programs. */
#define bsp_nprocs() ((mcbsp_pid_t)bsp_nprocs())
#define bsp_pid() ((mcbsp_pid_t)bsp_pid())
#endif

#define bsp_pid_t mcbsp_pid_t
#define bsp_nprocs_t mcbsp_nprocs_t
#define bsp_size_t mcbsp_size_t

#endif

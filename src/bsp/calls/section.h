/* Parts of a program that run in parallel, one after the other: what rank 0 tells the others between them (section.c).
 *
 * The processes of a run stay until the program ends. Behind bsp_end rank 0 goes on alone; the others wait to be told
 * of the next bsp_begin, or that there is none. */
#ifndef SUP_BSP_CALLS_SECTION_H
#define SUP_BSP_CALLS_SECTION_H

#include "bsp/engine/state.h"

#include <setjmp.h>

/* Rank 0, of the section that begins on so many processes; 0: the program ends. */
void bsp_section_tell(bsp_runtime *b, int procs);

/* The others, into b->section. In `idle` moments, between sections, the core is left to others. False: the program
 * ends, also if rank 0 is gone without a word. Does not come back if a process failed. */
bool bsp_section_hear(bsp_runtime *b, bool idle);

/* The function that rank 0 has named to bsp_init, here; NULL: none. */
void (*bsp_section_function(const bsp_runtime *b))(void);

#endif

/* Which call of the program: an address that means the same on every process, and its file and line in words. */
#ifndef SUP_BSP_CALLS_SITE_H
#define SUP_BSP_CALLS_SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processes load the program at different addresses, so what travels is the distance from where it begins. */
typedef struct bsp_site {
    uint64_t at;      /* 0: unknown */
    uint64_t program; /* 1: at is relative to the program, 0: an address of this process */
} bsp_site;

/* The calls of the library, which tell it from the program where it is linked statically. */
typedef void bsp_entry(void);
void bsp_site_entries(bsp_entry *const *list, size_t count, bsp_entry *calls_the_program);

/* The place where this library was entered, by unwinding: microseconds. */
bsp_site bsp_site_here(void);
/* Called from something that this library has called: a transport that exits, say. */
bool bsp_site_is_nested(void);
bsp_site bsp_site_of(const void *return_address);

/* "prog.c:42" where the debugging information says so, else "prog+0x1234 (function)"; always terminated. Starts
 * addr2line: milliseconds. */
void bsp_site_text(bsp_site site, char *text, size_t size);

/* Lines of addresses inside one file, which are given as its symbols know them. */
typedef struct bsp_line {
    uint64_t offset;
    char text[512]; /* "prog.c:42", "" unknown */
    char function[256];
    bool inside; /* only lines of our own header were found, where the program has it inlined */
} bsp_line;

/* Fills in text and function: one run of addr2line for many, each for five seconds at most. */
void bsp_site_lines(const char *file, bsp_line *lines, size_t count);

#endif

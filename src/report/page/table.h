/* Tables: filled cell by cell, written as text for a terminal or as HTML. All terms; what a table says is in tables.c.
 *
 *     sup_table *t = sup_table_new("pairs over shm", "class", "latency>", NULL);      ">" aligns to the right
 *     sup_table_cell(t, "%s", name);  sup_table_cell(t, "%s", time);                  a row is full: the next begins
 *     sup_table_text(t, stdout);
 *     sup_table_free(t);
 *
 * Without memory a table is NULL or keeps what it has, and sup_table_status says so at the end. */
#ifndef SUP_REPORT_PAGE_TABLE_H
#define SUP_REPORT_PAGE_TABLE_H

#include "base/status.h"

#include <stddef.h>
#include <stdio.h>

typedef struct sup_table sup_table;

sup_table *sup_table_new(const char *title, ...) __attribute__((sentinel));
void sup_table_free(sup_table *table);

/* For a set of columns that is known only when the profile is: before the first cell. */
void sup_table_column(sup_table *table, const char *name);
void sup_table_cell(sup_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A sentence under the table. */
void sup_table_note(sup_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

size_t sup_table_rows(const sup_table *table);
sup_status sup_table_status(const sup_table *table);

void sup_table_text(const sup_table *table, FILE *out);
void sup_table_html(const sup_table *table, FILE *out);
void sup_table_heading(const sup_table *table, FILE *out); /* its title as HTML, with a capital */

/* Text as HTML: & < > " ' escaped, what is no UTF-8 or no character of XML replaced by '?'. */
void sup_html_text(const char *text, FILE *out);
/* Columns of a terminal that UTF-8 text takes (one a character). */
size_t sup_text_width(const char *text);

#endif

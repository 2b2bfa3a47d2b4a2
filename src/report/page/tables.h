/* What the tables of a profile's sections are made with: `show` writes them as text, the report as HTML. Stage
 * "measure" looked at, all terms. */
#ifndef SUP_REPORT_PAGE_TABLES_H
#define SUP_REPORT_PAGE_TABLES_H

#include "profile/caches.h"
#include "profile/profile.h"
#include "report/page/table.h"

/* Where tables go. */
typedef struct sup_sink {
    void (*write)(const sup_table *table, FILE *out);
    FILE *out;
    bool gap;     /* an empty line between tables */
    size_t count; /* tables written */
    sup_status status;
    const struct sup_section *const *sections; /* all there are, for a table about every number */
} sup_sink;

/* Writes the table if it has a row, and frees it. */
void sup_sink_put(sup_sink *sink, sup_table *table);

/* Of a table with two columns: a row. */
void sup_table_row(sup_table *table, const char *what, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* One cell each, as people read it; what is not known, NULL or NaN, is "–". */
void sup_cell_text(sup_table *table, const char *text);
void sup_cell_count(sup_table *table, int64_t count);
void sup_cell_samples(sup_table *table, const sup_number *number); /* how many are behind it */
void sup_cell_seconds(sup_table *table, double seconds);
void sup_cell_number(sup_table *table, const sup_number *number); /* seconds with their interval */
void sup_cell_bytes(sup_table *table, double bytes);
void sup_cell_share(sup_table *table, double share);
void sup_cell_rate(sup_table *table, double per_second, const char *what);
void sup_cell_interval(sup_table *table, double value, double ci);
void sup_cell_factor(sup_table *table, double factor);          /* "1.08 ×" */
void sup_cell_range(sup_table *table, double low, double high); /* of factors: "1.02 to 1.10" */
/* The columns "typical" and "bad" of a table in which a number has them, and the cells of a row. */
void sup_column_typical(sup_table *table, bool any);
void sup_cell_typical(sup_table *table, bool any, const sup_number *number);

/* The measured range of a curve, and its middle interval as a share of the value; NaN where the file does not say. */
void sup_curve_range(const sup_file_curve *curve, double *low, double *high);
double sup_curve_interval(const sup_file_curve *curve);

/* Typical and bad times as multiples of the calm one, in the middle over a curve's points; NaN: not in the file. */
double sup_curve_typical(const sup_file_curve *curve);
double sup_curve_bad(const sup_file_curve *curve);

/* Its value at x; NaN where there is no curve. The second also where nothing was measured at about x. */
double sup_curve_value(const sup_file_curve *curve, double x);
double sup_curve_measured(const sup_file_curve *curve, double x);

#endif

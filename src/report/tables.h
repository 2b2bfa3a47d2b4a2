/* What a profile says, as tables for people: one or more tables a section. `show` writes them as text, the report as
 * HTML. Stage "measure" looked at, all terms. */
#ifndef SUP_REPORT_TABLES_H
#define SUP_REPORT_TABLES_H

#include "profile/profile.h"
#include "report/table.h"

/* Where tables go. */
typedef struct sup_sink {
    void (*write)(const sup_table *table, FILE *out);
    FILE *out;
    bool gap;     /* an empty line between tables */
    size_t count; /* tables written */
    sup_status status;
} sup_sink;

/* Writes the table if it has a row, and frees it. */
void sup_sink_put(sup_sink *sink, sup_table *table);

typedef struct sup_section_tables {
    const char *name; /* "kernels" */
    void (*put)(const sup_profile *profile, sup_sink *sink);
} sup_section_tables;

/* machine, quality, then the sections of the file; name NULL at the end. */
extern const sup_section_tables sup_tables[];
void sup_tables_put(const sup_profile *profile, const char *section, sup_sink *sink);

/* Caches of the machine, innermost first, as the signature's words name them. Returns how many. */
#define SUP_CACHE_MARKS 8
typedef struct sup_cache_mark {
    char name[8]; /* "L2" */
    double bytes;
} sup_cache_mark;
int sup_cache_marks(const sup_profile *profile, sup_cache_mark out[SUP_CACHE_MARKS]);

/* The measured range of a curve, and its middle interval as a share of the value; NaN where the file does not say. */
void sup_curve_range(const sup_file_curve *curve, double *low, double *high);
double sup_curve_interval(const sup_file_curve *curve);

/* tables_comp.c, tables_comm.c, tables_tile.c */
void sup_tables_kernels(const sup_profile *profile, sup_sink *sink);
void sup_tables_classic(const sup_profile *profile, sup_sink *sink);
void sup_tables_pairs(const sup_profile *profile, sup_sink *sink);
void sup_tables_channels(const sup_profile *profile, sup_sink *sink);
void sup_tables_vectors(const sup_profile *profile, sup_sink *sink);
void sup_tables_sync(const sup_profile *profile, sup_sink *sink);
void sup_tables_copies(const sup_profile *profile, sup_sink *sink);
void sup_tables_overlap(const sup_profile *profile, sup_sink *sink);
void sup_tables_tiles(const sup_profile *profile, sup_sink *sink);

#endif

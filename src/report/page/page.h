/* The report: one HTML file that needs nothing else. The product of the whole flow for people; sections.c lists its
 * chapters and their sections. */
#ifndef SUP_REPORT_PAGE_PAGE_H
#define SUP_REPORT_PAGE_PAGE_H

#include "machine/topology/topology.h"
#include "model/equation/model.h"
#include "plan/plan.h"
#include "profile/profile.h"
#include "report/draw/figure.h"
#include "report/held.h"
#include "report/page/tables.h"

#include <stdio.h>

/* What sections write from and to. */
typedef struct sup_report {
    const sup_profile *profile;
    const sup_topology *topology;              /* of the profile's machine; NULL: it is another one */
    const sup_held_list *held;                 /* NULL: nothing was run */
    const sup_plan *plan;                      /* what `superstep choose` recommends; NULL: nothing was decided */
    const char *lacks;                         /* what is missing until anything can be decided; NULL, "": nothing */
    const struct sup_section *const *sections; /* all there are */
    const char *profile_file, *page_file;      /* NULL: it was not kept; it goes to no file */
    const char *plan_file;                     /* NULL: no plan is written */
    FILE *out;
    const sup_figure *figures;
    size_t figure_count;
    bool draw;         /* gnuplot is there */
    size_t drawn;      /* figures in the page */
    sup_status status; /* first failure */
    sup_diag diag;
} sup_report;

/* Writes the page by what the caller has filled in: the profile, and what else there is of topology, held, plan, lacks
 * and files. draw false: figures are left out, and the page says so. figures: how many there are in it; may be NULL.
 * SUP_ENOMEM, SUP_EIO, errors of gnuplot.h. */
sup_status sup_report_write(sup_report *report, sup_diag *diag, size_t *figures);

/* For sections (page_parts.c): all figures of a section; others; all its tables, long ones folded; one table, which it
 * frees. */
void sup_report_figures(sup_report *report, const char *section);
void sup_report_draw(sup_report *report, const sup_figure *figures, size_t count);
void sup_report_tables(sup_report *report, void (*tables)(const sup_profile *profile, sup_sink *sink));
void sup_report_table(sup_report *report, sup_table *table);
void sup_report_text(const sup_report *report, const char *tag, const char *class, const char *text);
/* A paragraph; what stands between backquotes is a command. */
void sup_report_commands(const sup_report *report, const char *class, const char *text);
/* Of every transport whose pairs were measured. */
void sup_report_platforms(sup_report *report, void (*put)(sup_report *report, const sup_platform *platform));

/* drawing.c: the machine as nested boxes. */
void sup_report_drawing(const sup_topology *topology, FILE *out);

/* facts.c: what one should remember: a number and what it is. Also for the summary on a terminal. */
typedef struct sup_fact {
    char value[96], what[128];
    char interval[32]; /* "± 2.1 %"; empty: nothing that is measured with one */
    double number;     /* the value in its unit, for programs */
    double share;      /* half width of its interval, of the number; NaN */
    const char *unit;
} sup_fact;
#define SUP_FACTS 12
size_t sup_report_facts(const sup_profile *profile, sup_fact out[SUP_FACTS]);

#endif

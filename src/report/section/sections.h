/* The sections of a profile. Each is a file section/NAME.c with one object of the type below, and a row of the table
 * sections.c; `show --section`, CSV, JSON, `diff` and the page walk that table. */
#ifndef SUP_REPORT_SECTION_SECTIONS_H
#define SUP_REPORT_SECTION_SECTIONS_H

#include "report/draw/figure.h"
#include "report/draw/series.h"
#include "report/page/tables.h"

struct sup_report;

typedef struct sup_section {
    const char *name;                                           /* as in the file, and as --section takes it */
    void (*tables)(const sup_profile *profile, sup_sink *sink); /* for people */
    void (*series)(const sup_profile *profile, sup_walk *walk); /* for other programs; NULL: it has no numbers */
    void (*figures)(const sup_profile *profile, sup_figure_list *list); /* NULL: none */
    void (*page)(struct sup_report *report); /* its part of the page; NULL: tables, then figures */
} sup_section;

extern const sup_section *const sup_sections[]; /* NULL at the end */
extern const sup_section sup_section_clusters;  /* of the pairs, but not in a profile's file */

/* Tables of a section; NULL: of all. */
void sup_tables_put(const sup_profile *profile, const char *section, sup_sink *sink);
/* Numbers of a section; NULL: of all. */
void sup_series_each(const sup_profile *profile, const char *section, sup_series_visit visit, void *context);

/* Figures of all sections that the profile has data for; *out is to be freed. SUP_ENOMEM. */
sup_status sup_figures(const sup_profile *profile, sup_figure **out, size_t *count);

/* A chapter of the page: sections, some of them together under a heading of their own (NULL: none). */
enum { SUP_CHAPTER_PARTS = 8, SUP_PART_SECTIONS = 3 };
typedef struct sup_chapter {
    const char *id, *title; /* "computation", "Computation" */
    const char *intro;      /* a sentence or two for somebody who reads it for the first time */
    struct sup_chapter_part {
        const char *heading;
        const sup_section *of[SUP_PART_SECTIONS];
    } parts[SUP_CHAPTER_PARTS];
} sup_chapter;

enum { SUP_CHAPTERS = 8 };
extern const sup_chapter sup_chapters[SUP_CHAPTERS + 1]; /* in the order of the page; id NULL at the end */

#endif

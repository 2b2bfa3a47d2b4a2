/* Gnuplot scripts: curves over bytes with their measured points, and matrices. figure.c says what is drawn; this says
 * how. Text reaches gnuplot only in single quotes, where it is nothing but text; data are numbers. */
#ifndef SUP_REPORT_DRAW_PLOT_H
#define SUP_REPORT_DRAW_PLOT_H

#include "base/number/measured.h"

#include <stdio.h>

#define SUP_PLOT_SERIES 16 /* more would not be told apart; the others are left out */
#define SUP_PLOT_MARKS 8

typedef struct sup_plot {
    FILE *out;
    bool log_y;
    int count;
    struct {
        char label[128];
        bool points, lines, bars, typical;
    } series[SUP_PLOT_SERIES];
    int mark_count;
    struct {
        char label[16];
        double x;
    } marks[SUP_PLOT_MARKS];
    double x_low, x_high, y_low, y_high; /* of what was given */
} sup_plot;

/* log_y: both axes logarithmic, else only x, and y from 0, unless values span more than SUP_PLOT_SPAN times the least:
 * near 0 nothing could be told apart. */
#define SUP_PLOT_SPAN 20
void sup_plot_begin(sup_plot *plot, FILE *out, bool log_y);
/* The fitted lines, and the points with their intervals if the file has them; typical times as a faint line. NULL
 * curves are left out. */
void sup_plot_curve(sup_plot *plot, const char *label, const sup_file_curve *curve);
/* Points joined by lines; ci may be NULL. */
void sup_plot_points(sup_plot *plot, const char *label, const double *x, const double *y, const double *ci,
                     size_t count);
/* A vertical line. */
void sup_plot_mark(sup_plot *plot, const char *label, double x);
/* Axes (bytes and seconds) and the plot command. */
void sup_plot_end(sup_plot *plot, const char *x_label, const char *y_label);

/* $matrix holds lines "column row value" of count × count, $labels those that have a value, up to SUP_PLOT_LABELS. */
#define SUP_PLOT_LABELS 8
void sup_plot_matrix(FILE *out, int count, double largest, const char *what, const char *unit);

/* 'text' for gnuplot. */
void sup_plot_quote(const char *text, FILE *out);

#endif

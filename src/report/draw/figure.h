/* Figures of a profile, drawn by gnuplot: rates over footprint with the caches marked (Tcomp), matrices O, L, B and
 * message-size curves (Tcomm, BSP §5.6), families L(m,τ) (TAU §5), sweeps over parts (CACHE ch. 5). `show --plot`
 * writes each to a file, the report puts them inside its page. */
#ifndef SUP_REPORT_DRAW_FIGURE_H
#define SUP_REPORT_DRAW_FIGURE_H

#include "profile/profile.h"

#include <stdio.h>

typedef struct sup_figure sup_figure;
struct sup_figure {
    const char *section; /* "kernels", "pairs", "channels", "tiles" */
    char name[96];       /* a file name without its end: letters, digits, "-" */
    char title[160];
    size_t index, part;  /* which one of the section */
    const void *context; /* of figures that show something else than the profile; NULL */
    void (*script)(const sup_figure *figure, const sup_profile *profile, FILE *out);
};

typedef struct sup_figure_list {
    sup_figure *at;
    size_t count;
    bool failed; /* no memory */
} sup_figure_list;

/* One more: section, index, part and script are figure's; a name of a file is made from `name`, which may be anything.
 */
void sup_figure_add(sup_figure_list *list, const sup_figure *figure, const char *name, const char *title, ...)
    __attribute__((format(printf, 4, 5)));

typedef enum sup_picture { SUP_PICTURE_SVG, SUP_PICTURE_PNG, SUP_PICTURE_INLINE } sup_picture;

/* SUP_PICTURE_INLINE is an <svg> element for HTML: as wide as its place, colours of text and axes are those of the
 * page, ids begin with the figure's name. Errors of gnuplot.h. */
sup_status sup_figure_draw(const sup_figure *figure, const sup_profile *profile, sup_picture picture, sup_diag *diag,
                           char **out, size_t *length);

/* Larger matrices say nothing at this size. */
#define SUP_FIGURE_MATRIX_MAX 256

#endif

/* Running gnuplot, which draws all figures: a script in, a picture out. It is needed at run time only, and only here.
 */
#ifndef SUP_REPORT_DRAW_GNUPLOT_H
#define SUP_REPORT_DRAW_GNUPLOT_H

#include "base/status.h"

#include <stddef.h>

/* SUP_OK: it is there. SUP_ENOTSUP: it is not, with the package to install. */
sup_status sup_gnuplot_check(sup_diag *diag);

/* Draws; out NULL: the script itself says where to. *out (of *out_length bytes, and a zero behind them) is to be freed.
 * The user's own gnuplot settings are not read. SUP_ENOTSUP: no gnuplot; SUP_EIO: it failed, with its first line of
 * complaint; SUP_ETIMEOUT: it took over a minute; SUP_ENOMEM. */
sup_status sup_gnuplot_draw(const char *script, size_t length, sup_diag *diag, char **out, size_t *out_length);

#endif

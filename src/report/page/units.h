/* Numbers as people read them: a time has the unit that leaves one to three digits before the point, a confidence is a
 * share of the value. For tables and figures of all terms; files keep SI units. Each function returns buf. */
#ifndef SUP_REPORT_PAGE_UNITS_H
#define SUP_REPORT_PAGE_UNITS_H

#include "base/number/measured.h"

#include <math.h>
#include <stddef.h>

#define SUP_UNIT_TEXT 64

char *sup_unit_seconds(double seconds, char *buf, size_t size);                   /* "812 ns", "1.20 µs"; NaN "–" */
char *sup_unit_rate(double per_second, const char *what, char *buf, size_t size); /* "12.3 GB/s" of what "B/s" */
char *sup_unit_bytes(double bytes, char *buf, size_t size);                       /* "64 KB", units of 1024 */
char *sup_unit_share(double share, char *buf, size_t size);                       /* "3.5 %" */
/* "± 2.1 %", "± < 0.1 %"; "–" where it is unknown. */
char *sup_unit_interval(double value, double ci, char *buf, size_t size);
/* One sample has no scatter, so it has no interval, whatever the file says; n 0 is unknown. */
static inline double sup_unit_ci(double ci, int64_t n) { return n == 1 ? NAN : ci; }
char *sup_unit_duration(double seconds, char *buf, size_t size); /* "45 s", "2 min 5 s" */
/* "812 ns ± 2 %", "812 ns, one sample", for a number that may be absent. */
char *sup_unit_number(const sup_number *number, char *buf, size_t size);

/* The factor that axes use for times up to `largest` seconds, and its name: 1e9 and "ns". */
double sup_unit_scale(double largest, const char **name);

/* Times as people give them: "30s", "5m", "1.5h", "250ms", "1.3us", or plain seconds. false: it is none, or not above
 * 0.
 */
bool sup_unit_parse_duration(const char *text, double *seconds);
/* Bytes a second: "24GB/s", "24e9", "200Gb/s" or "200Gbit/s" (bits), "22GiB/s" (units of 1024); "/s" and B may be left
 * out. false: it is none, or not above 0. */
bool sup_unit_parse_rate(const char *text, double *bytes_per_s);

#endif

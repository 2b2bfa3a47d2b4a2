/* Numbers as people read them (units.h). */
#include "report/page/units.h"

#include "machine/sizes.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three digits that count, never an exponent: 1.23, 12.3, 123, 1234. */
static void three_digits(double value, char *buf, size_t size) {
    if (value >= 99.95)
        snprintf(buf, size, "%.0f", value);
    else
        snprintf(buf, size, "%.*f", value >= 9.995 ? 1 : 2, value);
}

double sup_unit_scale(double largest, const char **name) {
    static const struct {
        double from, factor;
        const char *name;
    } units[] = {{1.0, 1.0, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {1e-9, 1e9, "ns"}, {0.0, 1e12, "ps"}};
    size_t last = sizeof units / sizeof units[0] - 1, i = 0;
    /* rounded to three digits 999.6 ns is a microsecond */
    while (i < last && largest < units[i].from * 0.9995) i++;
    *name = units[i].name;
    return units[i].factor;
}

char *sup_unit_seconds(double seconds, char *buf, size_t size) {
    const char *name;
    char digits[32];
    if (!isfinite(seconds)) {
        snprintf(buf, size, "–");
        return buf;
    }
    if (seconds == 0.0) {
        snprintf(buf, size, "0 s");
        return buf;
    }
    double factor = sup_unit_scale(seconds, &name);
    three_digits(seconds * factor, digits, sizeof digits);
    snprintf(buf, size, "%s %s", digits, name);
    return buf;
}

char *sup_unit_rate(double per_second, const char *what, char *buf, size_t size) {
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P"};
    char digits[32];
    int p = 0;
    if (!isfinite(per_second)) {
        snprintf(buf, size, "–");
        return buf;
    }
    while (per_second >= 999.5 && p < 5) {
        per_second /= 1000.0;
        p++;
    }
    three_digits(per_second, digits, sizeof digits);
    snprintf(buf, size, "%s %s%s", digits, prefix[p], what);
    return buf;
}

char *sup_unit_bytes(double bytes, char *buf, size_t size) {
    if (!isfinite(bytes) || bytes < 0.0 || bytes > 9e18)
        snprintf(buf, size, "–");
    else
        sup_size_text((size_t)(bytes + 0.5), buf, size);
    return buf;
}

char *sup_unit_share(double share, char *buf, size_t size) {
    if (!isfinite(share))
        snprintf(buf, size, "–");
    else if (share > 9.995)
        snprintf(buf, size, "over 1000 %%");
    else
        snprintf(buf, size, fabs(share) < 0.0995 ? "%.1f %%" : "%.0f %%", 100.0 * share);
    return buf;
}

char *sup_unit_interval(double value, double ci, char *buf, size_t size) {
    char share[32];
    if (!isfinite(ci) || !(value > 0.0))
        snprintf(buf, size, "–");
    else if (ci < 0.0005 * value)
        snprintf(buf, size, "± < 0.1 %%");
    else
        snprintf(buf, size, "± %s", sup_unit_share(ci / value, share, sizeof share));
    return buf;
}

char *sup_unit_duration(double seconds, char *buf, size_t size) {
    if (!isfinite(seconds)) {
        snprintf(buf, size, "–");
    } else if (seconds < 10.0) {
        snprintf(buf, size, "%.1f s", seconds);
    } else if (seconds < 59.5) {
        snprintf(buf, size, "%.0f s", seconds);
    } else {
        int64_t whole = (int64_t)(seconds + 0.5);
        if (whole % 60)
            snprintf(buf, size, "%lld min %lld s", (long long)(whole / 60), (long long)(whole % 60));
        else
            snprintf(buf, size, "%lld min", (long long)(whole / 60));
    }
    return buf;
}

char *sup_unit_number(const sup_number *number, char *buf, size_t size) {
    char value[SUP_UNIT_TEXT], interval[SUP_UNIT_TEXT];
    if (!number)
        snprintf(buf, size, "–");
    else if (number->n == 1)
        snprintf(buf, size, "%s, one sample", sup_unit_seconds(number->value, value, sizeof value));
    else if (isfinite(number->ci) && number->value > 0.0)
        snprintf(buf, size, "%s %s", sup_unit_seconds(number->value, value, sizeof value),
                 sup_unit_interval(number->value, number->ci, interval, sizeof interval));
    else
        sup_unit_seconds(number->value, buf, size);
    return buf;
}

/* No sign, no blank, no "inf". */
static bool parse_number(const char *text, double *value, const char **end) {
    char *behind;
    if (!(*text >= '0' && *text <= '9') && *text != '.') return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
    *value = strtod(text, &behind);
    *end = behind;
    return behind != text && isfinite(*value);
}

bool sup_unit_parse_duration(const char *text, double *seconds) {
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"", 1.0},    {"s", 1.0},   {"m", 60.0},  {"min", 60.0}, {"h", 3600.0},
                 {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6},  {"ns", 1e-9}};
    const char *end;
    double value;
    if (!parse_number(text, &value, &end)) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].name)) continue;
        *seconds = value * units[i].factor;
        return *seconds > 0.0 && *seconds <= 365.0 * 86400.0;
    }
    return false;
}

bool sup_unit_parse_rate(const char *text, double *bytes_per_s) {
    static const char prefixes[] = "kMGT";
    const char *end;
    double value, unit = 1000.0;
    if (!parse_number(text, &value, &end)) return false;
    const char *prefix = *end ? strchr(prefixes, *end == 'K' ? 'k' : *end) : NULL;
    if (prefix) end++;
    if (prefix && *end == 'i') unit = 1024.0, end++;
    for (const char *p = prefixes; prefix && p <= prefix; p++) value *= unit;
    if (!strncmp(end, "bit", 3) || *end == 'b') {
        value /= 8;
        end += *end == 'b' && end[1] != 'i' ? 1 : 3;
    } else if (*end == 'B') {
        end++;
    }
    if (!strcmp(end, "/s")) end += 2;
    *bytes_per_s = value;
    return !*end && value > 0.0 && isfinite(value);
}

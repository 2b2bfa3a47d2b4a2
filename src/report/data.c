/* A profile's numbers for other programs (data.h). */
#include "report/data.h"

#include "base/text.h"
#include "report/section/sections.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void each_wanted(const sup_profile *profile, const char *const *wanted, sup_series_visit visit, void *context) {
    if (!wanted) sup_series_each(profile, NULL, visit, context);
    for (; wanted && *wanted; wanted++) sup_series_each(profile, *wanted, visit, context);
}

/* ---- CSV ---- */

static void csv_text(const char *text, FILE *out) {
    if (!strpbrk(text, ",\"\n\r")) {
        sup_text_put(text, out);
        return;
    }
    bool plain;
    fputc('"', out);
    for (size_t length; *text; text += length) {
        length = sup_text_character(text, &plain);
        if (*text == '"') fputc('"', out);
        plain ? fwrite(text, 1, length, out) : fwrite("?", 1, 1, out);
    }
    fputc('"', out);
}

static void csv_real(double value, FILE *out) {
    if (isfinite(value)) fprintf(out, "%.9g", value);
    fputc(',', out);
}

static bool csv_series(void *context, const sup_series *s) {
    FILE *out = context;
    for (size_t i = 0; i < s->count; i++) {
        csv_text(s->section, out);
        fputc(',', out);
        csv_text(s->name, out);
        fputc(',', out);
        csv_real(s->x ? s->x[i] : NAN, out);
        fprintf(out, "%s,", s->x_unit ? s->x_unit : "");
        csv_real(s->y[i], out);
        fprintf(out, "%s,", s->unit);
        csv_real(sup_series_ci(s, i), out);
        if (s->n) fprintf(out, "%" PRId64, s->n[i]);
        fputc(',', out);
        if (s->reruns) fprintf(out, "%" PRId64, s->reruns[i]);
        fputc(',', out);
        csv_real(s->typical ? s->typical[i] : NAN, out);
        if (s->bad && isfinite(s->bad[i])) fprintf(out, "%.9g", s->bad[i]);
        fputc('\n', out);
    }
    return !ferror(out);
}

void sup_data_csv(const sup_profile *profile, const char *const *wanted, FILE *out) {
    fputs("section,name,x,x_unit,value,unit,ci,n,reruns,typical,bad\n", out);
    each_wanted(profile, wanted, csv_series, out);
}

/* ---- JSON ---- */

json_t *sup_data_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static bool json_series(void *context, const sup_series *s) {
    json_t *numbers = context;
    for (size_t i = 0; i < s->count; i++) {
        json_t *one = json_pack("{s:s, s:s}", "section", s->section, "name", s->name);
        if (s->x) json_object_set_new(one, "x", sup_data_real(s->x[i]));
        if (s->x) json_object_set_new(one, "x_unit", json_string(s->x_unit));
        json_object_set_new(one, "value", sup_data_real(s->y[i]));
        json_object_set_new(one, "unit", json_string(s->unit));
        if (isfinite(sup_series_ci(s, i))) json_object_set_new(one, "ci", json_real(s->ci[i]));
        if (s->n) json_object_set_new(one, "n", json_integer(s->n[i]));
        if (s->reruns) json_object_set_new(one, "reruns", json_integer(s->reruns[i]));
        if (s->typical && isfinite(s->typical[i])) json_object_set_new(one, "typical", json_real(s->typical[i]));
        if (s->bad && isfinite(s->bad[i])) json_object_set_new(one, "bad", json_real(s->bad[i]));
        if (json_array_append_new(numbers, one)) return false;
    }
    return true;
}

json_t *sup_data_json(const sup_profile *profile, const char *const *wanted) {
    json_t *all = json_object(), *numbers = json_array(), *part = NULL;
    if (!all || !numbers) goto failed;
    json_object_set_new(all, "created", json_string(profile->created));
    json_object_set_new(all, "tool", json_string(profile->tool));
    if (sup_record_write(&sup_origin_record, &profile->signature, NULL, &part)) goto failed;
    json_object_set_new(all, "signature", part);
    if (profile->quality) {
        if (sup_record_write(&sup_quality_record, profile->quality, NULL, &part)) goto failed;
        json_object_set_new(all, "quality", part);
    }
    each_wanted(profile, wanted, json_series, numbers);
    json_object_set_new(all, "numbers", numbers);
    return all;
failed:
    json_decref(numbers);
    json_decref(all);
    return NULL;
}

/* superstep show: a profile for people (tables, figures) and for other programs (CSV, JSON), or a plan (show/plan.c).
 * It looks at what the stages "measure" and "choose" left, all terms; superstep-show(1) is the manual. */
#include "base/file/file.h"
#include "base/text.h"
#include "cli/machine/machine.h"
#include "cli/show/plan.h"
#include "plan/plan.h"

#include "report/data.h"
#include "report/draw/figure.h"
#include "report/draw/gnuplot.h"
#include "report/section/sections.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERB "show"
#define SECTIONS 16

struct request {
    bool json, csv, force;
    const char *plot, *path;
    const char *format; /* NULL: svg */
    const char *sections;
    char list[256];
    const char *wanted[SECTIONS + 1]; /* into list; none: all */
    int wanted_count;
};

/* What the parser let through: names of sections. */
static int set_sections(struct request *r) {
    char *rest = NULL;
    if (snprintf(r->list, sizeof r->list, "%s", r->sections) >= (int)sizeof r->list)
        return sup_cli_usage(VERB, "--section: the list is too long");
    for (char *name = strtok_r(r->list, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        if (r->wanted_count == SECTIONS) return sup_cli_usage(VERB, "--section: the list is too long");
        r->wanted[r->wanted_count++] = name;
    }
    return -1;
}

/* -1: go on. */
static int parse(struct request *r, int argc, char **argv) {
    int code = sup_options_parse(&sup_verb_show, r, &argc, &argv);
    if (code >= 0) return code;
    if (r->json + r->csv + (r->plot != NULL) > 1)
        return sup_cli_usage(VERB, "--json, --csv and --plot exclude each other");
    if ((r->format || r->force) && !r->plot)
        return sup_cli_usage(VERB, "--%s is for --plot", r->format ? "format" : "force");
    if (!argc) return sup_cli_usage(VERB, "no profile given");
    r->path = argv[0];
    return r->sections ? set_sections(r) : -1;
}

static const char *const *wanted(const struct request *r) { return r->wanted_count ? r->wanted : NULL; }

static bool is_wanted(const struct request *r, const char *section) {
    for (int i = 0; i < r->wanted_count; i++)
        if (!strcmp(r->wanted[i], section)) return true;
    return !r->wanted_count;
}

static int show_text(const struct request *r, const sup_profile *profile) {
    sup_sink sink = {.write = sup_table_text, .out = stdout, .gap = true};
    if (!r->wanted_count) sup_tables_put(profile, NULL, &sink);
    for (int i = 0; i < r->wanted_count; i++) sup_tables_put(profile, r->wanted[i], &sink);
    if (is_wanted(r, "pairs")) sup_section_clusters.tables(profile, &sink);
    if (sink.status) return sup_cli_no_memory(VERB);
    if (!sink.count) printf("the profile has none of these sections\n");
    return SUP_EXIT_OK;
}

static int show_json(const struct request *r, const sup_profile *profile) {
    return sup_cli_emit(VERB, sup_data_json(profile, wanted(r)));
}

/* ---- figures ---- */

static int check_place(const struct request *r, const sup_figure *figure, char path[PATH_MAX]) {
    if (snprintf(path, PATH_MAX, "%s/%s.%s", r->plot, figure->name, r->format ? r->format : "svg") >= PATH_MAX)
        return sup_cli_fail(VERB, SUP_EXIT_FILE, "--plot: the name of the folder is too long");
    return sup_cli_check_out(VERB, path, SUP_FILE_FIGURE, r->force);
}

static int draw(const struct request *r, const sup_profile *profile, const sup_figure *figure) {
    char path[PATH_MAX], *picture = NULL;
    size_t length = 0;
    sup_diag diag;
    sup_picture format = r->format && !strcmp(r->format, "png") ? SUP_PICTURE_PNG : SUP_PICTURE_SVG;
    int code = check_place(r, figure, path);
    if (code) return code;
    if (sup_figure_draw(figure, profile, format, &diag, &picture, &length)) return sup_cli_fail_diag(VERB, &diag);
    code = sup_cli_write(VERB, path, picture, length, r->force);
    if (!code) sup_text_print(stdout, "%s: %s\n", path, figure->title);
    free(picture);
    return code;
}

static int show_figures(const struct request *r, const sup_profile *profile) {
    sup_figure *figures = NULL;
    size_t count = 0, drawn = 0;
    char path[PATH_MAX];
    sup_diag diag;
    int code = SUP_EXIT_OK;
    if (sup_gnuplot_check(&diag)) return sup_cli_fail_diag(VERB, &diag);
    if (mkdir(r->plot, 0777) && errno != EEXIST)
        return sup_cli_fail(VERB, SUP_EXIT_FILE, "--plot: cannot make the folder \"%s\": %s", r->plot, strerror(errno));
    if (access(r->plot, W_OK | X_OK))
        return sup_cli_fail(VERB, SUP_EXIT_FILE, "--plot: cannot write in \"%s\": %s", r->plot, strerror(errno));
    if (sup_figures(profile, &figures, &count)) return sup_cli_no_memory(VERB);
    for (size_t i = 0; i < count && !code; i++) /* all of them or none */
        if (is_wanted(r, figures[i].section)) code = check_place(r, &figures[i], path);
    for (size_t i = 0; i < count && !code; i++) {
        if (!is_wanted(r, figures[i].section)) continue;
        code = draw(r, profile, &figures[i]);
        drawn++;
    }
    if (!code && !drawn) printf("the profile has nothing to draw\n");
    free(figures);
    return code;
}

static int show_profile(const struct request *r, const sup_json *doc) {
    sup_profile *profile = NULL;
    sup_diag diag;
    int code = SUP_EXIT_OK;
    if (sup_profile_parse(doc, false, &diag, &profile)) return sup_cli_fail_diag(VERB, &diag);
    if (r->csv)
        sup_data_csv(profile, wanted(r), stdout);
    else if (r->json)
        code = show_json(r, profile);
    else
        code = r->plot ? show_figures(r, profile) : show_text(r, profile);
    sup_profile_free(profile);
    return code;
}

static int run_show(int argc, char **argv) {
    struct request r = {0};
    char path[SUP_MACHINE_PATH];
    sup_json *doc = NULL;
    sup_diag diag;
    const char *kind = NULL;
    int64_t schema;
    int code = parse(&r, argc, argv);
    if (code >= 0) return code;
    if (sup_machine_path(r.path, &diag, path) || sup_json_load(path, &diag, &doc))
        return sup_cli_fail_diag(VERB, &diag);
    bool plan = !sup_record_file_kind(doc, &diag, &kind, &schema) && !strcmp(kind, SUP_PLAN_KIND);
    if (plan && (r.csv || r.plot || r.sections))
        code = sup_cli_usage(VERB, "%s is a plan: --csv, --plot and --section are for profiles", r.path);
    else
        code = plan ? sup_show_plan(doc, r.json) : show_profile(&r, doc);
    sup_json_free(doc);
    return code;
}

static const char *section_name(size_t index) { return sup_sections[index] ? sup_sections[index]->name : NULL; }

static const sup_option options[] = {
    SUP_FLAG("json", struct request, json, "every number with its interval and samples, or the plan, as JSON"),
    SUP_FLAG("csv", struct request, csv, "the same, a line each"),
    {"section", .value = "LIST", .kind = SUP_VALUE_WORDS, SUP_TO(struct request, sections), .word = section_name,
     .help = "only these: {words}"},
    {"plot", .value = "DIR", .kind = SUP_VALUE_FOLDER, SUP_TO(struct request, plot),
     .help = "draw figures into that folder (needs gnuplot) and list them"},
    {"format", .value = "FORMAT", .kind = SUP_VALUE_WORD, SUP_TO(struct request, format), SUP_WORDS("svg", "png"),
     .help = "of the figures: svg (default) or png"},
    SUP_FLAG("force", struct request, force, "replace existing figures"),
    SUP_OPTIONS_END,
};

const sup_verb sup_verb_show = {
    .name = VERB,
    .summary = "show a profile or a plan as tables, figures, CSV or JSON",
    .usage = "superstep show [--json | --csv] [--section LIST] FILE\n"
             "superstep show --plot DIR [--format svg|png] [--force] [--section LIST] FILE",
    .about = "Shows a profile: tables for people, or every number for other programs; or a plan: what was decided and "
             "why.",
    .more = "Ends with 0, 2 if the command line is wrong, 3 if a file cannot be read or written, 5 without gnuplot or "
            "memory.",
    .options = options,
    .arguments = (const sup_option[]){{.value = "FILE", .kind = SUP_VALUE_FILE}, {0}},
    .most = 1,
    .run = run_show,
};

/* What an MPI's launcher says, sorted into what is shown now, later or not at all (monitor_said.h). The words are those
 * of Open MPI 4.1 and MPICH 4.0; what is not known is shown. */
#include "net/launch/monitor_said.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RULE 60     /* that many "-" or "=" begin and end a banner */
#define LONGEST 40  /* lines of a banner; a longer one is something else */
#define MOST 65536u /* bytes that are kept */

/* Follow from an end that a rank has reported. */
static const char *const aftermath[] = {
    "Primary job  terminated normally, but",
    "detected that one or more processes exited with non-zero status",
    "noticed that process rank",
    "has exited due to process rank",
    "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
    "YOUR APPLICATION TERMINATED WITH THE EXIT STRING",
    "This typically refers to a problem with your application",
    "Please see the FAQ page for debugging suggestions",
    NULL,
};
static const char *const noise[] = {"more process has sent help message", "more processes have sent help message",
                                    "\"orte_base_help_aggregate\" to 0", "/util/show_help.c at line", NULL};

static bool has_one(const char *text, const char *const *list) {
    for (; *list; list++)
        if (strstr(text, *list)) return true;
    return false;
}

static bool is_rule(const char *line) {
    size_t length = strlen(line);
    return length >= RULE && (strspn(line, "-") == length || strspn(line, "=") == length);
}

/* hydra's own errors, when what it talks to is gone. */
static bool is_of_launcher(const char *line) { return !strncmp(line, "[proxy:", 7) || !strncmp(line, "[mpiexec@", 9); }

/* Fit for a terminal; tabs move to the right only. */
static char *plain(const char *line) {
    char *text = strdup(line), *to = text;
    for (char *from = text; text; from = to + 1) {
        size_t length = strcspn(from, "\t");
        bool more = from[length] == '\t';
        from[length] = 0;
        char *next = from + length + 1;
        sup_text_make_plain(from);
        size_t now = strlen(from);
        to = from + now;
        if (!more) break;
        *to = '\t';
        memmove(to + 1, next, strlen(next) + 1);
    }
    return text;
}

/* Adds a line to a text; takes both. What there is no memory for is not said. */
static char *append(char *text, char *line) {
    char *both = NULL;
    if (!text || !line) return text ? text : line;
    if (asprintf(&both, "%s\n%s", text, line) < 0) return text;
    free(text);
    free(line);
    return both;
}

static void keep(sup_said *said, char *text) {
    if (said->kept && strlen(said->kept) > MOST)
        free(text);
    else
        said->kept = append(said->kept, text);
}

static char *end_banner(sup_said *said) {
    char *banner = said->banner;
    said->banner = NULL;
    said->lines = 0;
    if (!banner || !has_one(banner, aftermath)) return banner;
    keep(said, banner);
    return NULL;
}

static char *hear(sup_said *said, const char *line) {
    bool inside = said->banner != NULL, rule = is_rule(line);
    if (!inside && (!*line || has_one(line, noise))) return NULL;
    char *text = plain(line);
    if (inside || rule) {
        said->banner = append(said->banner, text);
        return (inside && rule) || ++said->lines > LONGEST ? end_banner(said) : NULL;
    }
    if (!is_of_launcher(line) && !has_one(line, aftermath)) return text;
    keep(said, text);
    return NULL;
}

char *sup_said_hear(sup_said *said, const char *line) {
    char *shown = hear(said, line);
    said->spoken |= shown != NULL;
    return shown;
}

char *sup_said_rest(sup_said *said, bool explained) {
    char *last = end_banner(said), *kept = said->kept;
    said->kept = NULL;
    if (!explained) return append(kept, last);
    free(kept);
    return last;
}

void sup_said_free(sup_said *said) {
    free(said->banner);
    free(said->kept);
    *said = (sup_said){0};
}

/* Patterns as text: an error has a line and a reason; what is taken is in range, can be asked, is read back the same
 * from what it is written as, and where it is no barrier the trace says why. */
#include "fuzz.h"

#include "base/number/knowledge.h"
#include "base/pattern/text.h"

#include <stdlib.h>
#include <string.h>

static bool parse(const void *data, size_t size, sup_pattern *out) {
    sup_diag diag;
    sup_status status = sup_pattern_read_text(data, size, "fuzz", &diag, out);
    if (status)
        FUZZ_REQUIRE(status == SUP_EPARSE && diag.status == status && diag.line > 0 &&
                     !strpbrk(diag.text, "\n\r\t\x1b"));
    return status == SUP_OK;
}

static char *write(const sup_pattern *p, size_t *length) {
    char *text = NULL;
    FILE *f = open_memstream(&text, length);
    FUZZ_REQUIRE(f && sup_pattern_write_text(p, f) == SUP_OK);
    fclose(f);
    return text;
}

static void ask(const sup_pattern *p) {
    bool complete;
    int64_t deaf, unheard;
    FUZZ_REQUIRE(sup_pattern_covers(p, &complete, &deaf, &unheard) == SUP_OK);
    for (int s = 0; s < p->stages; s++)
        for (size_t e = p->begin[s]; e < p->begin[s + 1]; e++) {
            const sup_pattern_edge *x = &p->edges[e];
            FUZZ_REQUIRE(x->stage == s && x->from != x->to && x->from >= 0 && x->to >= 0 && x->from < p->processes &&
                         x->to < p->processes);
        }
    if (complete) return;
    sup_gap gap;
    char *text;
    FUZZ_REQUIRE(sup_gap_find(p, deaf, unheard, &gap) == SUP_OK);
    FUZZ_REQUIRE(sup_gap_text(&gap, &text) == SUP_OK);
    free(text);
    sup_gap_free(&gap);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_pattern p, again;
    if (!parse(data, size, &p)) return 0;
    ask(&p);
    size_t length, second_length;
    char *first = write(&p, &length);
    FUZZ_REQUIRE(parse(first, length, &again));
    FUZZ_REQUIRE(again.processes == p.processes && again.stages == p.stages);
    char *second = write(&again, &second_length);
    FUZZ_REQUIRE(!strcmp(first, second));
    free(second);
    free(first);
    sup_pattern_free(&again);
    sup_pattern_free(&p);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_pattern p;
    if (!parse(data, size, &p)) return false;
    sup_pattern_free(&p);
    return true;
}

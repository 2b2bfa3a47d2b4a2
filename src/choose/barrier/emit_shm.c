/* A barrier as C over shared memory (emit.h): C11 atomics, one word a signal, on a line of its own.
 *
 * Words count calls. A process that waits wants its word to have reached the number of its own call, so that a sender
 * may be a call ahead, and nothing has to be set back. Signals that the pattern calls common are one word for all that
 * a process signals in the stage. */
#include "choose/barrier/emit.h"

#include <inttypes.h>
#include <stdlib.h>

static const char head[] =
    " *\n"
    " * For processes or threads that share memory. One of them places\n"
    " *\n"
    " *     struct @F_shared\n"
    " *\n"
    " * there, all bytes zero (static, calloc, mmap with MAP_SHARED), aligned to @U_LINE; then all call\n"
    " *\n"
    " *     @F(shared, rank);        rank: 0 to @L, each once\n"
    " *\n"
    " * as often as they like. What a process wrote before its call the others can read behind theirs. Whoever waits\n"
    " * spins, and after @U_SPIN looks gives its core away between looks.\n"
    " *\n"
    " *     cc -std=c11 -O2 -c FILE.c */\n"
    "#include <sched.h>\n"
    "#include <stdalign.h>\n"
    "#include <stdatomic.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "#ifndef @U_LINE\n"
    "#define @U_LINE 64 /* bytes of a cache line */\n"
    "#endif\n"
    "#ifndef @U_SPIN\n"
    "#define @U_SPIN 2000\n"
    "#endif\n"
    "enum { @U_PROCESSES = @P, @U_WORDS = @N };\n"
    "\n"
    "struct @F_word {\n"
    "    alignas(@U_LINE) _Atomic uint64_t value;\n"
    "};\n"
    "\n"
    "struct @F_shared {\n"
    "    struct @F_word calls[@U_PROCESSES]; /* each process's own count */\n"
    "    struct @F_word word[@U_WORDS];      /* signals: their number behind the call */\n"
    "};\n"
    "\n"
    "void @F(struct @F_shared *shared, int rank);\n"
    "\n";

static const char helpers[] =
    "static void @F_signal(struct @F_word *word, uint64_t call)\n"
    "{\n"
    "    atomic_store_explicit(&word->value, call, memory_order_release);\n"
    "}\n"
    "\n"
    "static void @F_await(struct @F_word *word, uint64_t call)\n"
    "{\n"
    "    for (int look = 0; atomic_load_explicit(&word->value, memory_order_acquire) < call;) {\n"
    "        if (look < @U_SPIN) {\n"
    "            look++;\n"
    "#if defined(__x86_64__) || defined(__i386__)\n"
    "            __asm__ __volatile__(\"pause\");\n"
    "#elif defined(__aarch64__)\n"
    "            __asm__ __volatile__(\"yield\");\n"
    "#endif\n"
    "        } else {\n"
    "            sched_yield();\n"
    "        }\n"
    "    }\n"
    "}\n"
    "\n";

static const char begin[] =
    "void @F(struct @F_shared *shared, int rank)\n"
    "{\n"
    "    struct @F_word *word = shared->word;\n"
    "    if (rank < 0 || rank >= @U_PROCESSES) return;\n"
    "    uint64_t call = atomic_load_explicit(&shared->calls[rank].value, memory_order_relaxed) + 1;\n"
    "    atomic_store_explicit(&shared->calls[rank].value, call, memory_order_relaxed);\n"
    "    switch (rank) {\n";

static const char alone[] = "/* One process waits for nobody. */\n"
                            "void @F(struct @F_shared *shared, int rank)\n"
                            "{\n"
                            "    (void)shared;\n"
                            "    (void)rank;\n"
                            "}\n";

/* The word of each signal; how many words there are. Edges come by stage and sender, so that the common ones of a
 * sender share the last. */
static size_t number_words(const sup_emit_source *s, size_t *word) {
    size_t n = 0, common = 0;
    int stage = -1;
    int64_t sender = -1;
    for (size_t e = 0; e < s->count; e++) {
        const sup_pattern_edge *edge = &s->edges[e];
        bool joins = edge->common && edge->stage == stage && edge->from == sender;
        if (!joins) word[e] = n++;
        if (joins) word[e] = common;
        if (edge->common && !joins) {
            common = word[e];
            stage = edge->stage;
            sender = edge->from;
        }
    }
    return n;
}

static void put_rank(const sup_emit_source *s, const size_t *word, int64_t rank, FILE *out) {
    fprintf(out, "    case %" PRId64 ":\n", rank);
    for (int stage = 0; stage < s->pattern->stages; stage++) {
        size_t sends, receives, last = SIZE_MAX;
        const size_t *to = sup_emit_own(s, stage, rank, false, &sends);
        const size_t *from = sup_emit_own(s, stage, rank, true, &receives);
        if (sends || receives) fprintf(out, "        /* stage %d */\n", stage);
        for (size_t k = 0; k < sends; k++) {
            const sup_pattern_edge *e = &s->edges[to[k]];
            if (e->common && word[to[k]] == last) continue;
            if (e->common) last = word[to[k]];
            fprintf(out, "        %s_signal(&word[%zu], call); /* ", s->function, word[to[k]]);
            if (e->common)
                fprintf(out, "all that it releases */\n");
            else
                fprintf(out, "%" PRId64 " */\n", e->to);
        }
        for (size_t k = 0; k < receives; k++)
            fprintf(out, "        %s_await(&word[%zu], call); /* %" PRId64 " */\n", s->function, word[from[k]],
                    s->edges[from[k]].from);
    }
    fprintf(out, "        break;\n");
}

static sup_status write(const sup_emit_source *s, FILE *out) {
    size_t *word = calloc(s->count + 1, sizeof *word);
    if (!word) return SUP_ENOMEM;
    size_t words = number_words(s, word);
    sup_emit_about(s, out);
    sup_emit_text(s, head, words ? words : 1, out);
    if (words) {
        sup_emit_text(s, helpers, 0, out);
        sup_emit_text(s, begin, 0, out);
        for (int64_t rank = 0; rank < s->pattern->processes; rank++) put_rank(s, word, rank, out);
        fprintf(out, "    default:\n        break;\n    }\n}\n");
    } else {
        sup_emit_text(s, alone, 0, out);
    }
    free(word);
    return SUP_OK;
}

const sup_emit_form sup_emit_shm = {
    .name = "shm",
    .help = "void FUNCTION(struct FUNCTION_shared *shared, int rank), of C11 atomics",
    .write = write,
};

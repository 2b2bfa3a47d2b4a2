/* What the preloaded library says at the end, on process 0: what it did and what that saved. Communicators that were
 * served alike are one row. */
#include "pmpi/pmpi.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 96 };
/* A trial of fewer says which is quicker, and hardly by how much. */
enum { PAIRS_TRUSTED = 3 };

bool sup_pmpi_seen;
const char *sup_pmpi_reason;
_Atomic uint64_t sup_pmpi_passed;

typedef struct row {
    int op, size, hosts, who;
    bool planned;
    char text[160]; /* the pattern, or the algorithms */
    const char *reason;
    uint64_t comms, ours, theirs, bytes, ours_bytes;
    uint64_t timed, tried, sizes_tried;
    double timed_s, ours_s, theirs_s, saved_s; /* ours_s, theirs_s: sums over `tried` communicators */
} row;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static row rows[ROWS]; /* the last one takes all that finds no place; under the lock */
static int row_count;

static bool alike(const row *a, const row *b) {
    bool texts = !strcmp(a->text, b->text) && !strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
    return a->op == b->op && a->size == b->size && a->hosts == b->hosts && a->who == b->who &&
           a->planned == b->planned && texts;
}

static row *row_for(const row *like) {
    for (int i = 0; i < row_count; i++)
        if (alike(&rows[i], like)) return &rows[i];
    if (row_count < ROWS) {
        rows[row_count] = *like;
        if (row_count == ROWS - 1) rows[row_count] = (row){.op = like->op, .who = -1};
        return &rows[row_count++];
    }
    return &rows[ROWS - 1];
}

/* A size class of a use: by which algorithm, or why not ours. */
static void say_class(const sup_pmpi_comm *c, int op, int class, char text[SUP_CHOICE_TEXT]) {
    const sup_pmpi_class *k = &c->use[op].class[class];
    const sup_pmpi_op *o = &sup_pmpi_ops[op];
    const sup_choice *choice =
        o->unsized ? &c->unsized[op] : sup_coll_look(c->coll, o->operation, (int64_t)1 << 2 * class);
    if (!choice->algorithm)
        snprintf(text, SUP_CHOICE_TEXT, "mpi, chosen");
    else if (k->holder == SUP_PMPI_LIBRARY)
        snprintf(text, SUP_CHOICE_TEXT, "mpi, quicker");
    else
        sup_choice_text(k->holder == SUP_PMPI_OTHER ? &c->use[op].other : choice, text);
}

/* "shared from 4, ring/64K from 1M": what the sizes that were called are done by. */
static void say_choices(const sup_pmpi_comm *c, int op, char *text, size_t size) {
    static const char *const from[SUP_PMPI_CLASSES] = {"1",  "4",   "16",  "64",   "256", "1K",
                                                       "4K", "16K", "64K", "256K", "1M",  "4M"};
    char last[SUP_CHOICE_TEXT] = "", word[SUP_CHOICE_TEXT];
    size_t at = 0;
    for (int k = 0; k < SUP_PMPI_CLASSES && at < size; k++) {
        const sup_pmpi_class *class = &c->use[op].class[k];
        if (!class->calls) continue;
        say_class(c, op, k, word);
        if (strcmp(word, last) != 0) {
            const char *comma = at ? ", " : "";
            at += (size_t)(sup_pmpi_ops[op].unsized && !sup_pmpi_is_together(op)
                               ? snprintf(text + at, size - at, "%s%s", comma, word)
                               : snprintf(text + at, size - at, "%s%s from %s bytes", comma, word, from[k]));
        }
        memcpy(last, word, sizeof last);
    }
}

/* What the trials of all sizes found. */
static void add_trials(row *r, const sup_pmpi_use *u) {
    for (int k = 0; k < SUP_PMPI_CLASSES; k++) {
        const sup_pmpi_class *class = &u->class[k];
        if (class->pairs) r->sizes_tried++;
        if (class->pairs < PAIRS_TRUSTED || class->holder == SUP_PMPI_LIBRARY) continue;
        r->saved_s += (double)(class->calls - class->left) * ((double)class->theirs_s - (double)class->ours_s);
    }
}

static void fill_row(const sup_pmpi_comm *c, int op, row *r) {
    const sup_pmpi_use *u = &c->use[op];
    *r = (row){.op = op, .size = c->size, .hosts = c->hosts, .who = u->who, .reason = u->reason};
    if (op == SUP_PMPI_BARRIER) {
        r->planned = c->planned;
        if (u->who == SUP_PMPI_OURS) memcpy(r->text, u->text, sizeof u->text);
        if (u->who == SUP_PMPI_OURS && c->barriers.holder == SUP_PMPI_LIBRARY) {
            r->who = SUP_PMPI_THEIRS;
            r->reason = "the library's own is quicker";
        }
    } else if (u->who != SUP_PMPI_THEIRS && u->class) {
        r->who = SUP_PMPI_OURS;
        say_choices(c, op, r->text, sizeof r->text);
    } else if (u->who != SUP_PMPI_THEIRS && c->reason) {
        r->who = SUP_PMPI_THEIRS;
        r->reason = c->reason;
    }
    if (r->who == SUP_PMPI_UNDECIDED) r->reason = "too few calls, or too short a time";
}

static void add(const sup_pmpi_comm *c, int op) {
    const sup_pmpi_use *u = &c->use[op];
    if (!u->calls) return;
    row like;
    fill_row(c, op, &like);
    row *r = row_for(&like);
    r->comms++;
    r->ours += u->ours;
    r->theirs += u->calls - u->ours;
    r->bytes += u->bytes;
    r->ours_bytes += u->ours_bytes;
    r->timed += u->timed;
    r->timed_s += u->timed_s;
    if (u->class) add_trials(r, u);
    const sup_pmpi_class *k = &c->barriers;
    if (op != SUP_PMPI_BARRIER || k->pairs < PAIRS_TRUSTED) return;
    r->tried++;
    r->ours_s += (double)k->ours_s;
    r->theirs_s += (double)k->theirs_s;
    r->saved_s += (double)u->ours * ((double)k->theirs_s - (double)k->ours_s);
}

void sup_pmpi_report_add(const sup_pmpi_comm *c) {
    if (!sup_pmpi_set.report) return;
    pthread_mutex_lock(&lock);
    for (int op = 0; op < SUP_PMPI_OPS; op++) add(c, op);
    pthread_mutex_unlock(&lock);
}

/* ---- printing ---- */

static const char *s_of(uint64_t n) { return n == 1 ? "" : "s"; }

static void print_row(FILE *to, const row *r) {
    fprintf(to, "superstep:   %llu communicator%s", (unsigned long long)r->comms, s_of(r->comms));
    if (r->who < 0) {
        fprintf(to, " of other kinds: %llu calls ours, %llu " SUP_PMPI_TITLE "'s\n", (unsigned long long)r->ours,
                (unsigned long long)r->theirs);
        return;
    }
    if (r->size) fprintf(to, " of %d process%s", r->size, r->size == 1 ? "" : "es");
    if (r->hosts) fprintf(to, " on %d host%s", r->hosts, s_of((uint64_t)r->hosts));
    if (r->who != SUP_PMPI_OURS) { /* any more, if some were */
        fprintf(to, ": ");
        if (r->ours) fprintf(to, "%llu calls ours, ", (unsigned long long)r->ours);
        fprintf(to, "%llu calls " SUP_PMPI_TITLE "'s (%s)\n", (unsigned long long)r->theirs,
                r->reason ? r->reason : "");
        return;
    }
    fprintf(to, ": %s%s: %llu calls ours, %llu " SUP_PMPI_TITLE "'s", r->text,
            r->op != SUP_PMPI_BARRIER ? ""
            : r->planned              ? " of the plan"
                                      : " (built in)",
            (unsigned long long)r->ours, (unsigned long long)r->theirs);
    if (r->sizes_tried)
        fprintf(to, "; trials of %llu sizes: saved about %.3g ms", (unsigned long long)r->sizes_tried,
                r->saved_s * 1e3);
    if (r->timed) fprintf(to, "; mean %.3g us with waiting, of every 16th", r->timed_s / (double)r->timed * 1e6);
    if (r->tried)
        fprintf(to, "; tried: %.3g us against %.3g us: saved about %.3g ms", r->ours_s / (double)r->tried * 1e6,
                r->theirs_s / (double)r->tried * 1e6, r->saved_s * 1e3);
    fprintf(to, "\n");
}

static void print_op(FILE *to, int op) {
    uint64_t ours = 0, theirs = 0, comms = 0, tried = 0, bytes = 0, ours_bytes = 0;
    double saved_s = 0;
    for (int i = 0; i < row_count; i++) {
        if (rows[i].op != op) continue;
        ours += rows[i].ours;
        theirs += rows[i].theirs;
        comms += rows[i].comms;
        bytes += rows[i].bytes;
        ours_bytes += rows[i].ours_bytes;
        if (!rows[i].ours) continue;
        saved_s += rows[i].saved_s;
        tried += rows[i].tried + rows[i].sizes_tried;
    }
    if (op != SUP_PMPI_BARRIER && !ours && !theirs) return;
    fprintf(to,
            "superstep: %s: %" PRIu64 " call%s of process 0 on %" PRIu64 " communicator%s: %" PRIu64 " ours, %" PRIu64
            " " SUP_PMPI_TITLE "'s",
            sup_pmpi_ops[op].name, ours + theirs, s_of(ours + theirs), comms, s_of(comms), ours, theirs);
    if (bytes) fprintf(to, "; %.4g of %.4g MB ours", (double)ours_bytes * 1e-6, (double)bytes * 1e-6);
    if (tried) fprintf(to, "; saved about %.3g ms", saved_s * 1e3);
    fprintf(to, "\n");
    for (int i = 0; i < row_count; i++)
        if (rows[i].op == op) print_row(to, &rows[i]);
}

static void print_nothing(FILE *to, const char *reason) {
    uint64_t calls = atomic_load(&sup_pmpi_passed);
    fprintf(to, "superstep: nothing is replaced: %s: %" PRIu64 " call%s of this process " SUP_PMPI_TITLE "'s\n", reason,
            calls, s_of(calls));
}

/* In one piece: launchers mix what processes write. */
void sup_pmpi_report_print(const char *reason) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = sup_pmpi_set.report ? open_memstream(&text, &size) : NULL;
    if (!to) return;
    for (int op = 0; op < SUP_PMPI_OPS && !reason; op++) print_op(to, op);
    if (reason) print_nothing(to, reason);
    if (!fclose(to)) fwrite(text, 1, size, stderr);
    fflush(stderr);
    free(text);
}

/* A program that has MPI, and never initialised it by a function of ours: nobody else would say so. */
__attribute__((destructor)) static void report_unseen(void) {
    int was = 0;
    if (sup_pmpi_seen || !sup_pmpi_set.report || sup_pmpi_told_rank() > 0) return;
    if (PMPI_Initialized(&was) != MPI_SUCCESS) was = 0;
    if (was || atomic_load(&sup_pmpi_passed))
        sup_pmpi_report_print("MPI was initialised past the library, by PMPI_Init in a tool or by a session");
}

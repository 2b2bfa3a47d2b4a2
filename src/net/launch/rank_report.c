/* Reports of ranks: secrets, saying hello, and telling reports from output. */
#include "net/launch/rank_report.h"
#include "net/launch/monitor_output.h"
#include "net/launch/rank_direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TAKEN_S 1.0 /* that a hello may take to leave us */

typedef struct known {
    char secret[SUP_RANK_REPORT_SECRET + 1]; /* "": has not said hello */
    bool handling, ended;
} known;

struct sup_rank_reports {
    int size, ended;
    bool doubted;
    known ranks[];
};

/* ---- around a rank ------------------------------------------------------------------------------------------------*/

/* Nobody but root may then read /proc/PID/mem, attach a debugger, or open what this process has open. */
void sup_rank_report_close_memory(void) { prctl(PR_SET_DUMPABLE, 0); }

static sup_status make_secret(sup_diag *diag, char secret[SUP_RANK_REPORT_SECRET + 1]) {
    unsigned char bytes[SUP_RANK_REPORT_SECRET / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return sup_diag_errno(diag, SUP_EIO, NULL, "no random numbers from the kernel");
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(secret + 2 * i, 3, "%02x", bytes[i]);
    explicit_bzero(bytes, sizeof bytes);
    return SUP_OK;
}

/* Whoever has the writing end of a pipe can open the other end: a program that was there now could take the hello. */
static void await_taken(void) {
    struct stat st;
    if (fstat(STDERR_FILENO, &st) || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) return;
    unsigned long ask = S_ISFIFO(st.st_mode) ? FIONREAD : TIOCOUTQ;
    const struct timespec nap = {.tv_nsec = 100000};
    double end = sup_monitor_now() + TAKEN_S;
    for (int left = 0; !ioctl(STDERR_FILENO, ask, &left) && left > 0 && sup_monitor_now() < end;) nanosleep(&nap, NULL);
}

sup_status sup_rank_report_begin(int rank, sup_diag *diag, char begin[SUP_RANK_REPORT_BEGIN]) {
    char secret[SUP_RANK_REPORT_SECRET + 1];
    sup_rank_report_close_memory();
    sup_direct_packets(STDERR_FILENO);
    sup_status status = make_secret(diag, secret);
    if (status) return status;
    snprintf(begin, SUP_RANK_REPORT_BEGIN, SUP_RANK_REPORT_MARK "%d %s ", rank, secret);
    explicit_bzero(secret, sizeof secret);
    return SUP_OK;
}

void sup_rank_report_say_hello(const char *begin) {
    dprintf(STDERR_FILENO, "%shello %d\n", begin, (int)getpid()); /* in one write: nothing comes between */
    await_taken();
}

/* ---- in the launcher ----------------------------------------------------------------------------------------------*/

sup_status sup_rank_reports_create(int ranks, sup_diag *diag, sup_rank_reports **out) {
    sup_rank_reports *r = calloc(1, sizeof *r + (size_t)ranks * sizeof *r->ranks);
    if (!r) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the reports of %d ranks", ranks);
    r->size = ranks;
    *out = r;
    return SUP_OK;
}

void sup_rank_reports_free(sup_rank_reports *r) {
    if (!r) return;
    explicit_bzero(r->ranks, (size_t)r->size * sizeof *r->ranks);
    free(r);
}

int sup_rank_reports_ended(const sup_rank_reports *r) { return r->doubted ? 0 : r->ended; }

/* "RANK SECRET word …": returns the word, or NULL where it is nothing like that. */
static const char *split(const char *line, int *rank, const char **secret) {
    size_t digits = strspn(line, "0123456789");
    if (!digits || digits > 8 || line[digits] != ' ') return NULL;
    *rank = atoi(line);
    *secret = line + digits + 1;
    if (strspn(*secret, "0123456789abcdef") != SUP_RANK_REPORT_SECRET) return NULL;
    return (*secret)[SUP_RANK_REPORT_SECRET] == ' ' ? *secret + SUP_RANK_REPORT_SECRET + 1 : NULL;
}

static sup_rank_report_kind take_hello(sup_rank_reports *r, known *k, const char *secret, int pid,
                                       sup_rank_report *out) {
    r->doubted = k->secret[0] != 0;
    if (r->doubted) return SUP_RANK_REPORT_DOUBT;
    memcpy(k->secret, secret, SUP_RANK_REPORT_SECRET);
    out->pid = pid;
    return SUP_RANK_REPORT_HELLO;
}

static bool is_output(const char *word, sup_rank_report *out) {
    int length = 0;
    unsigned bytes;
    out->errors = !strncmp(word, "err ", 4);
    if (!out->errors && strncmp(word, "out ", 4) != 0) return false;
    if (sscanf(word + 4, "%4u%n", &bytes, &length) != 1 || word[4 + length]) return false;
    out->bytes = bytes;
    return bytes > 0;
}

static sup_rank_report_kind take_ended(sup_rank_reports *r, known *k) {
    r->ended += !k->ended;
    sup_rank_report_kind kind = k->ended ? SUP_RANK_REPORT_OTHER : SUP_RANK_REPORT_ENDED;
    k->ended = true;
    return kind;
}

static sup_rank_report_kind take_handling(known *k, bool handling) {
    if (k->handling == handling) return SUP_RANK_REPORT_OTHER;
    k->handling = handling;
    return handling ? SUP_RANK_REPORT_HANDLING : SUP_RANK_REPORT_HANDLED;
}

/* A rank that failed has a status that is not 0, whoever says otherwise. */
static sup_rank_report_kind take_failed(const char *word, sup_rank_report *out) {
    int length = 0;
    if (sscanf(word, "failed %d %lld %n", &out->status, &out->at_us, &length) != 2 || !length)
        return SUP_RANK_REPORT_NONE;
    if (out->status < 1 || out->status > 255) return SUP_RANK_REPORT_NONE;
    out->text = word + length;
    return SUP_RANK_REPORT_FAILED;
}

sup_rank_report sup_rank_reports_take(sup_rank_reports *r, const char *line) {
    sup_rank_report out = {.kind = SUP_RANK_REPORT_NONE};
    const char *secret, *word = split(line, &out.rank, &secret);
    int pid = 0;
    if (!word || out.rank >= r->size) return out;
    known *k = &r->ranks[out.rank];
    bool believed = !memcmp(k->secret, secret, SUP_RANK_REPORT_SECRET);
    if (is_output(word, &out))
        out.kind = believed || r->doubted ? SUP_RANK_REPORT_OUTPUT : SUP_RANK_REPORT_NONE;
    else if (r->doubted)
        out.kind = SUP_RANK_REPORT_NONE;
    else if (sscanf(word, "hello %d", &pid) == 1)
        out.kind = take_hello(r, k, secret, pid, &out);
    else if (!believed)
        out.kind = SUP_RANK_REPORT_NONE;
    else if (!strcmp(word, "ended"))
        out.kind = take_ended(r, k);
    else if (!strcmp(word, "handling") || !strcmp(word, "handled"))
        out.kind = take_handling(k, !strcmp(word, "handling"));
    else
        out.kind = take_failed(word, &out);
    return out;
}

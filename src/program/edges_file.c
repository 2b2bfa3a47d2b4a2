/* Files of edges: communication of irregular programs, too long for JSON. Requirements stage.
 *
 *     # from to messages bytes
 *     0 17 1 4096
 *     0 23 2 81920
 *
 * Lines in any order; empty lines and those that begin with # or % are left out. The file is mapped and read by hand, a
 * second for ten million lines; whatever is not a line of four numbers is refused with its number. */
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct text {
    const char *at, *end, *path;
    int64_t line;
    sup_diag *diag;
} text;

static sup_status refuse(const text *t, const char *what) {
    int line = t->line < 2147483647 ? (int)t->line : 2147483647;
    return sup_diag_set(t->diag, SUP_EPARSE, t->path, line, "%s; a line is \"from to messages bytes\"", what);
}

static bool digit(const text *t) { return t->at < t->end && *t->at >= '0' && *t->at <= '9'; }

static bool blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\r'; }

static void skip_blanks(text *t) {
    while (t->at < t->end && blank(*t->at)) t->at++;
}

/* Ends a number: a blank, a line's end or the file's. */
static bool ended(const text *t) { return t->at == t->end || blank(*t->at) || *t->at == '\n'; }

/* Decimal, with a fraction and an exponent if it must be. Negative: no number in 0 … high. */
static double number(text *t, double high) {
    double value = 0;
    int digits = 0;
    const char *begin = t->at;
    for (; digit(t) && digits < 16; t->at++, digits++) value = 10 * value + (*t->at - '0');
    if (digits && ended(t)) return value <= high ? value : -1;
    char copy[48];
    size_t n = 0;
    t->at = begin;
    while (!ended(t) && n + 1 < sizeof copy) {
        if (!strchr("0123456789+-.eE", *t->at)) return -1;
        copy[n++] = *t->at++;
    }
    copy[n] = 0;
    if (!n || !ended(t) || *copy == '+') return -1;
    char *end;
    value = strtod(copy, &end);
    return !*end && value >= 0 && value <= high ? value : -1;
}

static sup_status read_line(text *t, sup_flow *f) {
    static const char *const wrong[4] = {"the sender is no rank", "the receiver is no rank",
                                         "the number of messages is no number in 0 ... 1e12",
                                         "the number of bytes is no number in 0 ... 1e18"};
    static const double high[4] = {(double)(SUP_PROGRAM_PROCESSES_MAX - 1), (double)(SUP_PROGRAM_PROCESSES_MAX - 1),
                                   1e12, SUP_PROGRAM_BYTES_MAX};
    double x[4];
    for (int k = 0; k < 4; k++) {
        skip_blanks(t);
        x[k] = number(t, high[k]);
        if (x[k] < 0 || (k < 2 && x[k] != floor(x[k]))) return refuse(t, wrong[k]);
    }
    skip_blanks(t);
    if (t->at < t->end && *t->at != '\n') return refuse(t, "more than four numbers");
    if (x[2] == 0 && x[3] > 0) return refuse(t, "bytes in no message");
    if (x[2] == 0) return SUP_OK;
    if (f->edge_count >= SUP_PROGRAM_EDGES_MAX) return refuse(t, "too many edges");
    sup_edge e = {(int64_t)x[0], (int64_t)x[1], x[2], x[3], f->overlap, f->move};
    if (!sup_flow_add_edge(f, e)) return sup_diag_set(t->diag, SUP_ENOMEM, t->path, 0, "out of memory");
    return SUP_OK;
}

static sup_status read_lines(text *t, sup_flow *f) {
    for (t->line = 1; t->at < t->end; t->line++) {
        skip_blanks(t);
        if (t->at < t->end && (*t->at == '#' || *t->at == '%')) {
            const char *next = memchr(t->at, '\n', (size_t)(t->end - t->at));
            t->at = next ? next : t->end;
        } else if (t->at < t->end && *t->at != '\n') {
            sup_status st = read_line(t, f);
            if (st) return st;
        }
        if (t->at < t->end) t->at++;
    }
    return SUP_OK;
}

static sup_status cannot(const char *path, sup_diag *diag, const char *why) {
    return sup_diag_set(diag, SUP_EIO, path, 0, "%s", why);
}

sup_status sup_flow_read_edges(sup_flow *flow, const char *path, sup_diag *diag) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    if (file < 0) return cannot(path, diag, strerror(errno));
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) {
        close(file);
        return cannot(path, diag, "it is no file");
    }
    size_t size = (size_t)about.st_size;
    char *all = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    int error = errno;
    close(file);
    if (!size) return SUP_OK;
    if (all == MAP_FAILED) return cannot(path, diag, strerror(error));
    madvise(all, size, MADV_SEQUENTIAL);
    text t = {.at = all, .end = all + size, .path = path, .diag = diag};
    sup_status st = read_lines(&t, flow);
    munmap(all, size);
    return st;
}

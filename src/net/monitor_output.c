/* Output of many processes on one stdout and one stderr, so that lines of different processes never mix.
 *
 *     rank 0 ──pipe──▶ stream ─┐ whole lines
 *     rank 1 ──pipe──▶ stream ─┼────────────▶ sink (queue) ──▶ stdout
 *     rank 2 ──pipe──▶ stream ─┘
 *
 * A stream gives its whole lines to the sink at once. An unfinished line that has rested for REST_S goes out too, since
 * it may be a prompt; then the stream owns the sink's line and the others hold theirs back for up to HOLD_S, after
 * which the line is broken. Queues are bounded: a sink that is full stops the reading, which stops the writers.
 *
 * Sinks are never waited for in write(): a stopped pager must not keep the monitor from seeing that a process died. */
#include "net/monitor_output.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define REST_S 0.1
#define HOLD_S 1.0
#define CHUNK ((size_t)65536)
#define STREAM_LIMIT ((size_t)1 << 20)
#define SINK_LIMIT ((size_t)1 << 18)

typedef struct bytes {
    char *data;
    size_t head, used, cap; /* data[head … head+used) */
} bytes;

typedef struct sink sink;

typedef struct stream {
    int fd; /* -1: closed */
    int rank;
    sink *to;
    bytes line;   /* what the sink has not been given */
    double since; /* when the unfinished line was last added to */
} stream;

struct sink {
    int fd;
    bool own_fd;  /* a second opening of the file, non-blocking */
    bool at_once; /* a regular file: never blocks for long */
    bool broken;
    bytes queue;
    stream *owner; /* whose unfinished line stands at the end; NULL: at the start of a line */
    double owned_since;
};

struct sup_output {
    int size;
    sup_output_how how;
    bool merged;
    bool terminal; /* stdout is one: give each process a terminal too, so that its stdio behaves */
    sink sinks[2];
    stream *streams; /* 2 a rank: out, err (unused if merged) */
    stream monitor;  /* owner of nothing; for sup_output_say */
    double last_read, last_written;
    int error;
    bool reader_left;
};

double sup_monitor_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void sup_monitor_wake_at(double when, double now, int *timeout_ms) {
    double ms = (when - now) * 1e3 + 1;
    int wait = ms < 0 ? 0 : ms > 1e6 ? 1000000 : (int)ms;
    if (*timeout_ms < 0 || wait < *timeout_ms) *timeout_ms = wait;
}

/* ---- bytes --------------------------------------------------------------------------------------------------------*/

/* Room for `more` bytes at the end, or NULL. */
static char *bytes_room(bytes *b, size_t more) {
    if (b->head && b->head + b->used + more > b->cap) {
        memmove(b->data, b->data + b->head, b->used);
        b->head = 0;
    }
    if (b->used + more > b->cap) {
        size_t cap = b->cap ? b->cap : 4096;
        while (cap < b->used + more) cap *= 2;
        char *data = realloc(b->data, cap);
        if (!data) return NULL;
        b->data = data;
        b->cap = cap;
    }
    return b->data + b->head + b->used;
}

static void bytes_drop(bytes *b, size_t n) {
    b->used -= n;
    b->head = b->used ? b->head + n : 0;
}

/* ---- making and closing -------------------------------------------------------------------------------------------*/

static bool same_file(int a, int b) {
    struct stat sa, sb;
    return !fstat(a, &sa) && !fstat(b, &sb) && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* O_NONBLOCK on the descriptor we were given would change it for everybody who shares it, so open the file again. */
static void sink_init(sink *s, int fd) {
    struct stat st;
    *s = (sink){.fd = fd};
    s->at_once = !fstat(fd, &st) && S_ISREG(st.st_mode);
    if (s->at_once) return;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (again < 0) return;
    s->fd = again;
    s->own_fd = true;
}

static void stream_close(stream *s) {
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

sup_status sup_output_create(int size, const sup_output_how *how, sup_diag *diag, sup_output **out) {
    sup_output *o = calloc(1, sizeof *o);
    stream *streams = calloc((size_t)size, 2 * sizeof *streams);
    if (!o || !streams) {
        free(o);
        free(streams);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the output of %d processes", size);
    }
    o->size = size;
    o->how = *how;
    o->streams = streams;
    o->merged = !how->errors_only && same_file(STDOUT_FILENO, STDERR_FILENO);
    o->terminal = isatty(STDOUT_FILENO);
    sink_init(&o->sinks[0], STDOUT_FILENO);
    sink_init(&o->sinks[1], STDERR_FILENO);
    for (int i = 0; i < 2 * size; i++) {
        bool err = i % 2 && !o->merged;
        streams[i] = (stream){.fd = -1, .rank = how->first + i / 2, .to = &o->sinks[err ? 1 : 0]};
    }
    o->monitor = (stream){.fd = -1, .rank = -1, .to = &o->sinks[o->merged ? 0 : 1]};
    o->last_read = sup_monitor_now();
    *out = o;
    return SUP_OK;
}

void sup_output_free(sup_output *o) {
    if (!o) return;
    for (int i = 0; i < 2 * o->size; i++) {
        stream_close(&o->streams[i]);
        free(o->streams[i].line.data);
    }
    for (int i = 0; i < 2; i++) {
        if (o->sinks[i].own_fd) close(o->sinks[i].fd);
        free(o->sinks[i].queue.data);
    }
    free(o->streams);
    free(o);
}

/* A pseudo-terminal in raw mode is a pipe for which isatty() holds. */
static bool open_terminal(int ends[2]) {
    struct termios mode;
    struct winsize window;
    if (tcgetattr(STDOUT_FILENO, &mode)) return false;
    bool sized = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
    cfmakeraw(&mode);
    if (openpty(&ends[0], &ends[1], NULL, &mode, sized ? &window : NULL)) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

static sup_status stream_open(stream *s, bool terminal, sup_diag *diag, int *end) {
    int ends[2];
    bool made = (terminal && open_terminal(ends)) || !pipe2(ends, O_CLOEXEC);
    if (!made) return sup_diag_errno(diag, SUP_EIO, NULL, "cannot make the pipes for output");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    s->fd = ends[0];
    *end = ends[1];
    return SUP_OK;
}

sup_status sup_output_open(sup_output *o, int rank, sup_diag *diag, sup_output_ends *ends) {
    stream *s = &o->streams[2 * rank];
    sup_output_ends e = {-1, -1};
    sup_status status = o->how.errors_only ? SUP_OK : stream_open(&s[0], o->terminal, diag, &e.out);
    if (status) return status;
    e.err = e.out;
    if (!o->merged) status = stream_open(&s[1], false, diag, &e.err);
    if (status) {
        if (e.out >= 0) close(e.out);
        stream_close(&s[0]);
        return status;
    }
    *ends = e;
    return SUP_OK;
}

void sup_output_ends_close(const sup_output_ends *ends) {
    if (ends->out >= 0) close(ends->out);
    if (ends->err != ends->out) close(ends->err);
}

/* ---- from streams to sinks ----------------------------------------------------------------------------------------*/

static void sink_break(sup_output *o, sink *s) {
    s->broken = true;
    s->queue.used = s->queue.head = 0;
    /* the writers shall learn what we learned */
    for (int i = 0; i < 2 * o->size; i++) {
        if (o->streams[i].to != s) continue;
        stream_close(&o->streams[i]);
        o->streams[i].line.used = 0;
    }
}

static void sink_put(sup_output *o, sink *s, const char *data, size_t n) {
    char *room = bytes_room(&s->queue, n);
    if (!room) {
        o->error = ENOMEM;
        sink_break(o, s);
        return;
    }
    memcpy(room, data, n);
    s->queue.used += n;
}

/* n bytes of the stream, every line after its label. */
static void put_lines(sup_output *o, stream *st, const char *data, size_t n) {
    sink *s = st->to;
    bool inside = s->owner == st;
    if (!n) return;
    s->owner = data[n - 1] == '\n' ? NULL : st;
    if (s->owner && !inside) s->owned_since = sup_monitor_now();
    if (!o->how.prefix || st->rank < 0) {
        sink_put(o, s, data, n);
        return;
    }
    char label[24];
    size_t width = (size_t)snprintf(label, sizeof label, "[%d] ", st->rank);
    for (size_t at = 0; at < n && !s->broken;) {
        const char *end = memchr(data + at, '\n', n - at);
        size_t length = end ? (size_t)(end - data) - at + 1 : n - at;
        if (!inside) sink_put(o, s, label, width);
        inside = false;
        if (!s->broken) sink_put(o, s, data + at, length);
        at += length;
    }
}

/* The first mark in the n bytes, of a stream that may have some. */
static char *find_mark(const sup_output *o, const stream *st, const char *data, size_t n) {
    if (!o->how.mark || st->to != &o->sinks[1]) return NULL;
    return memmem(data, n, o->how.mark, strlen(o->how.mark));
}

/* What a report says to the user, on a line of its own. */
static void put_shown(sup_output *o, stream *st, const char *shown) {
    if (!shown || st->to->broken) return;
    if (st->to->owner) put_lines(o, st, "\n", 1);
    put_lines(o, st, shown, strlen(shown));
    put_lines(o, st, "\n", 1);
}

/* n bytes of the stream, which end with a line wherever there is a mark. Output that has a mark may stand before a
 * report on the same line. */
static void give(sup_output *o, stream *st, size_t n) {
    char *data = st->line.data + st->line.head, *end = data + n, *from = data;
    for (char *mark; !st->to->broken && (mark = find_mark(o, st, from, (size_t)(end - from)));) {
        char *line_end = memchr(mark, '\n', (size_t)(end - mark));
        const char *shown = NULL;
        if (!line_end) break;
        from = mark + strlen(o->how.mark);
        *line_end = 0;
        if (o->how.take(o->how.context, from, &shown)) {
            put_lines(o, st, data, (size_t)(mark - data));
            put_shown(o, st, shown);
            data = from = line_end + 1;
        }
        *line_end = '\n';
    }
    if (!st->to->broken) put_lines(o, st, data, (size_t)(end - data));
    if (!st->to->broken) bytes_drop(&st->line, n);
}

/* An unfinished report: the rest of it is on its way. */
static bool is_held(const sup_output *o, const stream *st, double now) {
    return st->fd >= 0 && now < st->since + HOLD_S && find_mark(o, st, st->line.data + st->line.head, st->line.used);
}

/* True if the sink's line is free for st, which may mean to break it. */
static bool take_line(sup_output *o, stream *st, double now) {
    sink *s = st->to;
    if (!s->owner || s->owner == st) return true;
    if (s->owner->fd >= 0 && now < s->owned_since + HOLD_S) return false;
    sink_put(o, s, "\n", 1);
    s->owner = NULL;
    return !s->broken;
}

static void offer(sup_output *o, stream *st, double now) {
    sink *s = st->to;
    if (!st->line.used || s->broken || s->queue.used >= SINK_LIMIT) return;
    const char *data = st->line.data + st->line.head;
    const char *end = memrchr(data, '\n', st->line.used);
    size_t whole = end ? (size_t)(end - data) + 1 : 0;
    bool rested = st->fd < 0 || now >= st->since + REST_S || st->line.used - whole >= STREAM_LIMIT;
    if (!whole && !rested) return;
    if (!take_line(o, st, now)) return;
    if (whole) give(o, st, whole);
    if (rested && st->line.used && !s->broken && !is_held(o, st, now)) give(o, st, st->line.used);
}

static void stream_read(sup_output *o, stream *st, double now) {
    char *room = bytes_room(&st->line, CHUNK);
    ssize_t n = room ? read(st->fd, room, CHUNK) : -1;
    if (n > 0) {
        st->line.used += (size_t)n;
        st->since = o->last_read = now;
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        stream_close(st); /* EIO is how a terminal says that its last user is gone */
    }
}

static void sink_write(sup_output *o, sink *s) {
    while (s->queue.used && !s->broken) {
        /* a descriptor that may block takes a page without blocking when poll says so, and no more is promised */
        size_t most = s->own_fd || s->at_once ? s->queue.used : s->queue.used < 4096 ? s->queue.used : 4096;
        ssize_t n = write(s->fd, s->queue.data + s->queue.head, most);
        if (n > 0) {
            bytes_drop(&s->queue, (size_t)n);
            o->last_written = sup_monitor_now();
            if (!s->own_fd && !s->at_once) return;
        } else if (n < 0 && errno == EAGAIN) {
            return;
        } else if (n < 0 && errno != EINTR) {
            if (errno == EPIPE || errno == EIO)
                o->reader_left = true;
            else if (!o->error)
                o->error = errno;
            sink_break(o, s);
        }
    }
}

/* ---- the monitor's loop -------------------------------------------------------------------------------------------*/

size_t sup_output_poll_max(const sup_output *o) { return 2 + 2 * (size_t)o->size; }

size_t sup_output_poll(sup_output *o, struct pollfd *fds, int *timeout_ms) {
    double now = sup_monitor_now();
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        sink *s = &o->sinks[i];
        fds[count++] = (struct pollfd){.fd = s->queue.used ? s->fd : -1, .events = POLLOUT};
    }
    for (int i = 0; i < 2 * o->size; i++) {
        stream *st = &o->streams[i];
        bool full = st->to->queue.used >= SINK_LIMIT;
        bool take = st->fd >= 0 && !full && st->line.used < 2 * STREAM_LIMIT;
        fds[count++] = (struct pollfd){.fd = take ? st->fd : -1, .events = POLLIN};
        if (full) st->since = now; /* a line whose rest we do not take does not rest */
        if (!st->line.used || full) continue;
        double when = st->since + (is_held(o, st, now) ? HOLD_S : REST_S);
        sink *s = st->to;
        if (s->owner && s->owner != st && s->owner->fd >= 0) when = s->owned_since + HOLD_S;
        sup_monitor_wake_at(when, now, timeout_ms);
    }
    return count;
}

void sup_output_move(sup_output *o, const struct pollfd *fds, size_t count) {
    double now = sup_monitor_now();
    for (size_t i = 2; i < count; i++) {
        stream *st = &o->streams[i - 2];
        if (fds[i].fd >= 0 && fds[i].revents && st->fd == fds[i].fd) stream_read(o, st, now);
    }
    for (int i = 0; i < 2 * o->size; i++) offer(o, &o->streams[i], now);
    for (int i = 0; i < 2; i++) {
        sink *s = &o->sinks[i];
        /* new data need not wait for the next poll where a write cannot block */
        if (s->own_fd || s->at_once || fds[i].revents) sink_write(o, s);
    }
}

void sup_output_say(sup_output *o, const char *line) {
    sink *s = o->monitor.to;
    if (s->broken) return;
    if (s->owner) sink_put(o, s, "\n", 1);
    s->owner = NULL;
    sink_put(o, s, line, strlen(line));
    sink_put(o, s, "\n", 1);
}

void sup_output_stop_reading(sup_output *o) {
    for (int i = 0; i < 2 * o->size; i++) stream_close(&o->streams[i]);
}

bool sup_output_reading(const sup_output *o) {
    for (int i = 0; i < 2 * o->size; i++)
        if (o->streams[i].fd >= 0) return true;
    return false;
}

bool sup_output_empty(const sup_output *o) {
    for (int i = 0; i < 2 * o->size; i++)
        if (o->streams[i].line.used) return false;
    return !o->sinks[0].queue.used && !o->sinks[1].queue.used;
}

double sup_output_last_read(const sup_output *o) { return o->last_read; }
double sup_output_last_written(const sup_output *o) { return o->last_written; }
int sup_output_error(const sup_output *o) { return o->error; }
bool sup_output_reader_left(const sup_output *o) { return o->reader_left; }

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
 * Sinks are never waited for in write(): a stopped pager must not keep the monitor from seeing that a process died.
 *
 * Through an MPI there are two of us, one around each rank and one around the launcher of the MPI. On one machine the
 * first gives its pipes to the second (rank_direct.h). Between machines:
 *
 *     rank 0 ──pipe──▶ stream ──▶ packets ─┐                                       ┌─▶ stream of rank 0 ─┐
 *     rank 1 ──pipe──▶ stream ──▶ packets ─┴▶ MPI's daemons ──▶ launcher's stderr ─┴─▶ stream of rank 1 ─┴─▶ sink
 *
 * MPI's daemons read pieces and pass them on one after the other, wherever a line may end. A packet (O_DIRECT of
 * pipe(7)) is read by itself and whole, so it arrives as one piece, and says whose it is. */
#include "net/launch/monitor_output.h"
#include "net/launch/rank_direct.h"
#include "net/launch/rank_report.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdint.h>
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
#define LAUNCHER_LIMIT ((size_t)1 << 26) /* of MPI: it has reports too, and loses output that nobody takes */
#define PACKET 2048                      /* no daemon of an MPI reads less at a time; what it did not read were lost */

typedef struct bytes {
    char *data;
    size_t head, used, cap; /* data[head … head+used) */
} bytes;

typedef struct sink sink;

typedef struct stream {
    int fd; /* -1: closed, or carried */
    int rank;
    const struct stream *carrier; /* what reports with its bytes come by; NULL: they come by fd */
    sink *to;
    bytes line;   /* what the sink has not been given */
    double since; /* when the unfinished line was last added to */
} stream;

struct sink {
    int fd;
    bool own_fd;  /* a second opening of the file, non-blocking */
    bool at_once; /* a regular file: never blocks for long */
    bool packets; /* each has its length before it, a uint16_t */
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
    stream *streams; /* 2 a process: out, err (unused if merged); then 2 for each rank whose output is carried */
    int count;       /* … all of them */
    stream monitor;  /* owner of nothing; for sup_output_say */
    double last_read, last_written;
    int error;
    bool reader_left;
};

static bool is_open(const stream *st) { return st->fd >= 0 || (st->carrier && st->carrier->fd >= 0); }

/* MPI's launcher's stderr. */
static bool is_carrier(const sup_output *o, const stream *st) { return o->how.mark && st == &o->streams[1]; }

static bool is_said(const sup_output *o, const stream *st) {
    return is_carrier(o, st) || (o->how.says_out && st == &o->streams[0]);
}

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

/* All that is written there are packets; a descriptor that is no pipe takes them as it takes anything. */
static void sink_init_packets(sink *s) {
    sink_init(s, STDERR_FILENO);
    s->packets = true;
    sup_direct_packets(s->fd);
}

static void stream_close(stream *s) {
    if (s->fd >= 0) close(s->fd);
    s->fd = -1;
}

sup_status sup_output_create(int size, const sup_output_how *how, sup_diag *diag, sup_output **out) {
    sup_output *o = calloc(1, sizeof *o);
    stream *streams = calloc((size_t)size + (size_t)how->ranks, 2 * sizeof *streams);
    if (!o || !streams) {
        free(o);
        free(streams);
        return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the output of %d processes", size);
    }
    o->size = size;
    o->how = *how;
    o->streams = streams;
    o->count = 2 * (size + how->ranks);
    o->merged = !how->carry && same_file(STDOUT_FILENO, STDERR_FILENO);
    o->terminal = isatty(STDOUT_FILENO) && !how->mark;
    sink_init(&o->sinks[0], STDOUT_FILENO);
    how->carry ? sink_init_packets(&o->sinks[1]) : sink_init(&o->sinks[1], STDERR_FILENO);
    for (int i = 0; i < o->count; i++) {
        bool err = how->carry || (i % 2 && !o->merged), carried = i >= 2 * size;
        streams[i] = (stream){.fd = -1,
                              .rank = carried ? i / 2 - size : how->first + i / 2,
                              .carrier = carried ? &streams[1] : NULL,
                              .to = &o->sinks[err ? 1 : 0]};
    }
    o->monitor = (stream){.fd = -1, .rank = -1, .to = &o->sinks[o->merged ? 0 : 1]};
    o->last_read = sup_monitor_now();
    *out = o;
    return SUP_OK;
}

void sup_output_free(sup_output *o) {
    if (!o) return;
    for (int i = 0; i < o->count; i++) {
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
    sup_status status = stream_open(&s[0], o->terminal, diag, &e.out);
    if (status) return status;
    e.err = e.out;
    if (!o->merged || o->how.mark) status = stream_open(&s[1], false, diag, &e.err);
    if (status) {
        close(e.out);
        stream_close(&s[0]);
        return status;
    }
    *ends = e;
    return SUP_OK;
}

void sup_output_part_with(sup_output *o, int rank, int ends[2]) {
    for (int i = 0; i < 2; i++) {
        ends[i] = o->streams[2 * rank + i].fd;
        o->streams[2 * rank + i].fd = -1;
    }
}

bool sup_output_attach(sup_output *o, int rank, const int ends[2]) {
    stream *st = &o->streams[2 * (o->size + rank)];
    if (!st[0].carrier) return false;
    for (int i = 0; i < 2; i++) {
        st[i].carrier = NULL;
        if (st[i].to->broken)
            close(ends[i]);
        else
            st[i].fd = ends[i];
    }
    return true;
}

void sup_output_ends_close(const sup_output_ends *ends) {
    close(ends->out);
    if (ends->err != ends->out) close(ends->err);
}

/* ---- from streams to sinks ----------------------------------------------------------------------------------------*/

static void sink_break(sup_output *o, sink *s) {
    s->broken = true;
    s->queue.used = s->queue.head = 0;
    /* the writers shall learn what we learned; but one that has reports for us is heard */
    for (int i = 0; i < o->count; i++) {
        if (o->streams[i].to != s) continue;
        if (!is_carrier(o, &o->streams[i])) stream_close(&o->streams[i]);
        if (!is_carrier(o, &o->streams[i])) o->streams[i].line.used = 0;
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

/* The first mark in what the stream has from `at` on, if it may have some. */
static char *find_mark(const sup_output *o, const stream *st, size_t at) {
    if (!is_carrier(o, st)) return NULL;
    return memmem(st->line.data + st->line.head + at, st->line.used - at, o->how.mark, strlen(o->how.mark));
}

/* The first n bytes of the stream. */
static void give(sup_output *o, stream *st, size_t n) {
    if (st->to->broken) return;
    put_lines(o, st, st->line.data + st->line.head, n);
    if (!st->to->broken) bytes_drop(&st->line, n);
}

/* What the launcher of an MPI said itself, of which some is noise. */
static void give_said(sup_output *o, stream *st, size_t n) {
    char *line = st->line.data + st->line.head, *end = line + n;
    for (char *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        char *text = strndup(line, (size_t)((stop ? stop : end) - line));
        char *shown = text ? o->how.hear(o->how.context, text) : NULL;
        if (shown && !st->to->broken) put_lines(o, st, shown, strlen(shown));
        if (shown && !st->to->broken && stop) put_lines(o, st, "\n", 1);
        free(shown);
        free(text);
        if (!stop) break;
    }
    bytes_drop(&st->line, n);
}

/* An unfinished report: the rest of it is on its way. */
static bool is_held(const sup_output *o, const stream *st, double now) {
    return st->fd >= 0 && now < st->since + HOLD_S && find_mark(o, st, 0);
}

/* True if the sink's line is free for st, which may mean to break it. */
static bool take_line(sup_output *o, stream *st, double now) {
    sink *s = st->to;
    if (!s->owner || s->owner == st) return true;
    if (is_open(s->owner) && now < s->owned_since + HOLD_S) return false;
    sink_put(o, s, "\n", 1);
    s->owner = NULL;
    return !s->broken;
}

/* ---- through an MPI -----------------------------------------------------------------------------------------------*/

static void put_packet(sup_output *o, sink *s, const char *data, size_t n) {
    uint16_t length = (uint16_t)n;
    if (!bytes_room(&s->queue, sizeof length + n)) {
        o->error = ENOMEM;
        sink_break(o, s);
        return;
    }
    sink_put(o, s, (const char *)&length, sizeof length);
    sink_put(o, s, data, n);
}

/* Around a rank: what there is, whether lines end or not. */
static void offer_packets(sup_output *o, stream *st) {
    char packet[PACKET];
    const char *name = (st - o->streams) % 2 ? "err" : "out";
    while (st->line.used && !st->to->broken && st->to->queue.used < SINK_LIMIT) {
        size_t room = sizeof packet - SUP_RANK_REPORT_BEGIN - sizeof "err 1234\n";
        size_t n = st->line.used < room ? st->line.used : room;
        size_t used = (size_t)snprintf(packet, sizeof packet, "%s%s %zu\n", o->how.carry, name, n);
        memcpy(packet + used, st->line.data + st->line.head, n);
        bytes_drop(&st->line, n);
        put_packet(o, st->to, packet, used + n);
    }
}

static void put_carried(sup_output *o, const sup_output_report *report, const char *data, double now) {
    stream *st = &o->streams[2 * (o->size + report->rank) + report->errors];
    char *room = st->to->broken ? NULL : bytes_room(&st->line, report->bytes);
    if (!room && !st->to->broken) o->error = ENOMEM;
    if (!room) return;
    memcpy(room, data, report->bytes);
    st->line.used += report->bytes;
    st->since = now;
}

/* Around the launcher: takes the reports out of what it said. */
static void take_reports(sup_output *o, stream *st, double now) {
    for (size_t at = 0;;) {
        char *mark = find_mark(o, st, at), *data = st->line.data + st->line.head;
        char *end = mark ? memchr(mark, '\n', (size_t)(data + st->line.used - mark)) : NULL;
        if (!end) return;
        sup_output_report report = {0};
        *end = 0;
        bool is_one = o->how.take(o->how.context, mark + strlen(o->how.mark), &report);
        if (is_one && report.shown) sup_output_say_last(o, report.shown);
        *end = '\n';
        size_t before = (size_t)(mark - data), whole = (size_t)(end + 1 - mark) + report.bytes;
        at = before + strlen(o->how.mark);
        if (!is_one) continue;
        if (before + whole > st->line.used) return; /* the rest is on its way */
        if (report.bytes) put_carried(o, &report, end + 1, now);
        if (before) memmove(mark, mark + whole, st->line.used - before - whole);
        if (before) st->line.used -= whole;
        if (!before) bytes_drop(&st->line, whole);
        at = before;
    }
}

/* ---- from streams to sinks, again ---------------------------------------------------------------------------------*/

static void offer(sup_output *o, stream *st, double now) {
    sink *s = st->to;
    void (*to)(sup_output *, stream *, size_t) = is_said(o, st) ? give_said : give;
    if (s->broken && is_carrier(o, st) && !is_held(o, st, now)) st->line.used = 0;
    if (!st->line.used || s->broken || s->queue.used >= SINK_LIMIT) return;
    if (s->packets) {
        offer_packets(o, st);
        return;
    }
    const char *data = st->line.data + st->line.head;
    const char *end = memrchr(data, '\n', st->line.used);
    size_t whole = end ? (size_t)(end - data) + 1 : 0;
    bool rested = !is_open(st) || now >= st->since + REST_S || st->line.used - whole >= STREAM_LIMIT;
    if (!whole && !rested) return;
    if (!take_line(o, st, now)) return;
    if (whole) to(o, st, whole);
    if (rested && st->line.used && !is_held(o, st, now)) to(o, st, st->line.used);
}

static void stream_read(sup_output *o, stream *st, double now) {
    char *room = bytes_room(&st->line, CHUNK);
    ssize_t n = room ? read(st->fd, room, CHUNK) : -1;
    if (n > 0) {
        st->line.used += (size_t)n;
        st->since = o->last_read = now;
        take_reports(o, st, now);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        stream_close(st); /* EIO is how a terminal says that its last user is gone */
    }
}

/* Bytes of the packet that is to be written next; 0: they are none. */
static size_t next_packet(const sink *s) {
    uint16_t length = 0;
    if (s->packets) memcpy(&length, s->queue.data + s->queue.head, sizeof length);
    return length;
}

static void sink_write(sup_output *o, sink *s) {
    while (s->queue.used && !s->broken) {
        size_t packet = next_packet(s), before = packet ? sizeof(uint16_t) : 0;
        /* a descriptor that may block takes a page without blocking when poll says so, and no more is promised */
        size_t most = s->own_fd || s->at_once ? s->queue.used : s->queue.used < 4096 ? s->queue.used : 4096;
        ssize_t n = write(s->fd, s->queue.data + s->queue.head + before, packet ? packet : most);
        if (n > 0) {
            bytes_drop(&s->queue, before + (packet ? packet : (size_t)n)); /* a packet goes as a whole */
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

size_t sup_output_poll_max(const sup_output *o) { return 2 + (size_t)o->count; }

/* May more be read? */
static bool may_take(const sup_output *o, const stream *st) {
    size_t there = 0;
    if (!is_carrier(o, st)) return st->to->queue.used < SINK_LIMIT && st->line.used < 2 * STREAM_LIMIT;
    for (int i = 2 * o->size; i < o->count; i++) there += o->streams[i].line.used;
    return there + o->sinks[0].queue.used + o->sinks[1].queue.used < LAUNCHER_LIMIT;
}

/* For what does not end with a line. */
static void wake_for(const sup_output *o, stream *st, double now, int *timeout_ms) {
    const sink *s = st->to;
    bool full = s->queue.used >= SINK_LIMIT;
    if (full) st->since = now; /* a line whose rest we do not take does not rest */
    if (!st->line.used || full || s->broken) return;
    double when = st->since + (is_held(o, st, now) ? HOLD_S : REST_S);
    if (s->owner && s->owner != st && is_open(s->owner)) when = s->owned_since + HOLD_S;
    sup_monitor_wake_at(when, now, timeout_ms);
}

size_t sup_output_poll(sup_output *o, struct pollfd *fds, int *timeout_ms) {
    double now = sup_monitor_now();
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        sink *s = &o->sinks[i];
        fds[count++] = (struct pollfd){.fd = s->queue.used ? s->fd : -1, .events = POLLOUT};
    }
    for (int i = 0; i < o->count; i++) {
        stream *st = &o->streams[i];
        bool take = st->fd >= 0 && may_take(o, st);
        fds[count++] = (struct pollfd){.fd = take ? st->fd : -1, .events = POLLIN};
    }
    for (int i = 0; i < o->count; i++) wake_for(o, &o->streams[i], now, timeout_ms);
    return count;
}

void sup_output_move(sup_output *o, const struct pollfd *fds, size_t count) {
    double now = sup_monitor_now();
    for (size_t i = 2; i < count; i++) {
        stream *st = &o->streams[i - 2];
        if (fds[i].fd >= 0 && fds[i].revents && st->fd == fds[i].fd) stream_read(o, st, now);
    }
    for (int i = 0; i < o->count; i++) offer(o, &o->streams[i], now);
    for (int i = 0; i < 2; i++) {
        sink *s = &o->sinks[i];
        /* new data need not wait for the next poll where a write cannot block */
        if (s->own_fd || s->at_once || fds[i].revents) sink_write(o, s);
    }
}

void sup_output_say(sup_output *o, const char *line) {
    sink *s = o->monitor.to;
    char packet[PACKET];
    if (s->broken) return;
    if (s->packets) {
        int length = snprintf(packet, sizeof packet, "%s\n", line);
        if (length > 0 && (size_t)length < sizeof packet) put_packet(o, s, packet, (size_t)length);
        return;
    }
    if (s->owner) sink_put(o, s, "\n", 1);
    s->owner = NULL;
    sink_put(o, s, line, strlen(line));
    sink_put(o, s, "\n", 1);
}

void sup_output_say_last(sup_output *o, const char *line) {
    double now = sup_monitor_now();
    for (int i = 2 * o->size; i < o->count; i++) {
        stream *st = &o->streams[i];
        if (st->fd >= 0) stream_read(o, st, now);
        if (st->line.used && take_line(o, st, now + HOLD_S)) give(o, st, st->line.used);
    }
    sup_output_say(o, line);
}

void sup_output_stop_reading(sup_output *o) {
    for (int i = 0; i < o->count; i++) stream_close(&o->streams[i]);
}

bool sup_output_reading(const sup_output *o) {
    for (int i = 0; i < o->count; i++)
        if (o->streams[i].fd >= 0) return true;
    return false;
}

bool sup_output_empty(const sup_output *o) {
    for (int i = 0; i < o->count; i++)
        if (o->streams[i].line.used && !o->streams[i].to->broken) return false;
    return !o->sinks[0].queue.used && !o->sinks[1].queue.used;
}

double sup_output_last_read(const sup_output *o) { return o->last_read; }
double sup_output_last_written(const sup_output *o) { return o->last_written; }
int sup_output_error(const sup_output *o) { return o->error; }
bool sup_output_reader_left(const sup_output *o) { return o->reader_left; }

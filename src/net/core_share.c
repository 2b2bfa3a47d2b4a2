/* Does somebody else want the core of this thread? From the run delay of /proc/thread-self/schedstat, where the thread
 * was switched out against its will. */
#include "net/core_share.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    EVERY_NS = 2000000, /* between two questions: the least that a share can be seen in */
    WANTED = 4,         /* one part in so many: a busy process takes a half, what the system does now and then less */
    LEAST_NS = EVERY_NS / WANTED, /* who has slept is ready for moments, and to be woken takes one of them */
    WAKE_NS = 8000000,            /* to get an idle core back from a busy host: seen up to 6 ms */
    HOLD_NS = 10000000,           /* first of all; then four times as long whenever it is found again … */
    HOLD_MAX_NS = 640000000       /* … up to this: who sleeps hardly notices others, and has to look to find out */
};

/* "ran kept slices". No descriptor is kept: programs close what they have not opened. */
static void ask_kernel(int64_t *ran, int64_t *kept) {
    char text[80];
    *kept = -1;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    if (n <= 0) return;
    text[n] = 0;
    char *second, *end;
    *ran = strtoll(text, &second, 10);
    int64_t value = strtoll(second, &end, 10);
    if (end != second) *kept = value;
}

/* Switched out: also by a yield that lets somebody run. */
static sup_core_counts counts_now(void) {
    struct rusage r = {0};
    sup_core_counts c = {0};
    getrusage(RUSAGE_THREAD, &r);
    c.switched = r.ru_nivcsw;
    c.slept = r.ru_nvcsw;
    ask_kernel(&c.ran_ns, &c.kept_ns);
    return c;
}

bool sup_core_judge(sup_core_share *s, int64_t now, int64_t since, const sup_core_counts *counts) {
    int64_t before = s->at_ns, delay = counts->kept_ns - s->last.kept_ns,
            ready = counts->ran_ns - s->last.ran_ns + delay;
    bool taken = counts->switched != s->last.switched;
    int64_t least = LEAST_NS + (counts->slept - s->last.slept) * WAKE_NS;
    bool wanted = before && !s->unknown && taken && delay > ready / WANTED && delay > least;
    s->at_ns = now;
    s->unknown = counts->kept_ns < 0;
    if (s->unknown) return true; /* as if there were others */
    s->last = *counts;
    if (wanted) {
        s->hold_ns = !s->hold_ns ? HOLD_NS : 4 * s->hold_ns < HOLD_MAX_NS ? 4 * s->hold_ns : HOLD_MAX_NS;
        s->until_ns = now + s->hold_ns;
    } else if (before && since && since <= before) {
        s->hold_ns /= 2; /* it kept the core for all of the time */
    }
    return now < s->until_ns;
}

bool sup_core_wanted(sup_core_share *s, int64_t now, int64_t since) {
    if (s->at_ns && now - s->at_ns < EVERY_NS) return s->unknown || now < s->until_ns;
    sup_core_counts counts = counts_now();
    return sup_core_judge(s, now, since, &counts);
}

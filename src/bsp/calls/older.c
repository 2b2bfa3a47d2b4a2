/* Names of BSPlib's earlier drafts and of other libraries, each made of calls of the standard. */
#include <bsp.h>
#include <time.h>

void bsp_pushregister(const void *addr, size_t size) { bsp_push_reg(addr, size); }
void bsp_popregister(const void *addr) { bsp_pop_reg(addr); }
void(bsp_set_tag_size)(int *tag_nbytes) { (bsp_set_tagsize)(tag_nbytes); }
void bsp_bsmp_info(int *packets, int *payload_nbytes) { (bsp_qsize)(packets, payload_nbytes); }
void bsp_abort_va(const char *format, va_list args) { bsp_vabort(format, args); }

void bsp_abort_text(const char *text) { bsp_abort("%s", text); }

static double seconds(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t) ? 0 : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A last call before this bsp_begin does not count. */
double bsp_dtime(void) {
    static double last = -1;
    double since = bsp_time(), now = seconds(CLOCK_MONOTONIC), from = now - since > last ? now - since : last;
    last = now;
    return now - from;
}

double bsp_cputime(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

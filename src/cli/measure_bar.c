/* Progress of a measurement on a terminal, and interrupts: the first asks it to end with what it has, the second ends
 * the processes that it started. */
#include "cli/measure.h"
#include "report/units.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 24

static volatile sig_atomic_t interrupts;
static struct sigaction before[2];
static bool terminal, shown, is_open;

static void count_interrupt(int number) {
    (void)number;
    interrupts = interrupts + 1;
}

void sup_bar_open(bool quiet) {
    struct sigaction action = {.sa_handler = count_interrupt};
    interrupts = 0;
    terminal = !quiet && isatty(STDERR_FILENO);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
    is_open = true;
}

int sup_bar_interrupts(void) { return interrupts; }

static size_t columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

void sup_bar_show(double fraction, const char *text, double seconds_left) {
    char line[256], left[SUP_UNIT_TEXT] = "", bar[WIDTH + 1];
    if (!terminal) return;
    int full = (int)(fmin(fmax(fraction, 0.0), 1.0) * WIDTH + 0.5);
    memset(bar, '-', WIDTH);
    memset(bar, '#', (size_t)full);
    bar[WIDTH] = 0;
    if (isfinite(seconds_left) && seconds_left < 59.5)
        snprintf(left, sizeof left, "%.0f s", ceil(seconds_left));
    else if (isfinite(seconds_left))
        sup_unit_duration(ceil(seconds_left), left, sizeof left);
    snprintf(line, sizeof line, "[%s] %3.0f %%  %s%s  %.100s", bar, 100.0 * fmin(fmax(fraction, 0.0), 1.0), left,
             *left ? " left" : "", text ? text : "");
    size_t room = columns() - 1, used = strlen(line);
    if (used > room) { /* not in the middle of a character */
        while (room && ((unsigned char)line[room] & 0xc0) == 0x80) room--;
        line[room] = 0;
    }
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
    shown = true;
}

void sup_bar_close(void) {
    if (!is_open) return;
    if (shown) fprintf(stderr, "\r\033[K");
    fflush(stderr);
    sigaction(SIGTERM, &before[1], NULL);
    sigaction(SIGINT, &before[0], NULL);
    shown = is_open = false;
}

bool sup_bar_progress(void *context, double fraction, const char *text, double seconds_left) {
    (void)context;
    sup_bar_show(fraction, text, seconds_left);
    return interrupts == 0;
}

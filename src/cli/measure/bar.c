/* Progress of a measurement on a terminal, and interrupts: the first asks it to end with what it has, the second ends
 * the processes that it started. */
#include "base/text.h"
#include "cli/measure/measure.h"
#include "report/page/units.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH 24

/* SIGHUP: the terminal or the connection is gone. */
enum { SIGNALS = 4 };
static const int caught[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

static volatile sig_atomic_t interrupts, first_signal;
static struct sigaction before[SIGNALS];
static bool terminal, shown, is_open;

static void count_interrupt(int number) {
    if (!interrupts) first_signal = number;
    interrupts = interrupts + 1;
}

void sup_bar_open(bool quiet) {
    struct sigaction action = {.sa_handler = count_interrupt};
    interrupts = 0;
    terminal = !quiet && isatty(STDERR_FILENO);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(caught[i], &action, &before[i]);
        /* under nohup(1) it goes on */
        bool wanted = caught[i] == SIGHUP || caught[i] == SIGQUIT;
        if (wanted && before[i].sa_handler == SIG_IGN) sigaction(caught[i], &before[i], NULL);
    }
    is_open = true;
}

int sup_bar_interrupts(void) { return interrupts; }
int sup_bar_signal(void) { return first_signal; }

static size_t columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40 ? size.ws_col : 80;
}

static void show(double fraction, const char *text, double seconds_left) {
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
    size_t room = columns() - 1, used = strlen(sup_text_make_plain(line));
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
    for (int i = 0; i < SIGNALS; i++) sigaction(caught[i], &before[i], NULL);
    shown = is_open = false;
}

sup_wish sup_bar_progress(void *context, double fraction, const char *text, double seconds_left) {
    (void)context;
    show(fraction, text, seconds_left);
    return interrupts == 0 ? SUP_WISH_ON : interrupts == 1 ? SUP_WISH_STOP : SUP_WISH_NOW;
}

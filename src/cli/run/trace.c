/* The trace that --trace asks for, seen from outside: can it be written, which should be known before the run; and was
 * it written, for a program that makes no BSP call writes none. */
#include "base/file/file.h"
#include "cli/run/run.h"

#include <sys/stat.h>

#define VERB "run"

/* Rank 0 writes it, perhaps on another machine. */
static bool is_ours(const sup_run *run) {
    if (!run->tell.trace[0] || !run->placement.count) return false;
    return !run->hosts.count || sup_host_is_here(run->hosts.at[run->placement.at[0].host].name);
}

int sup_run_trace_check(sup_run *run) {
    sup_diag diag = {0};
    struct stat s;
    if (!is_ours(run)) return 0;
    if (sup_file_check(run->tell.trace, SUP_FILE_TRACE, true, &diag)) return sup_cli_fail_diag(VERB, &diag);
    bool there = !stat(run->tell.trace, &s);
    run->trace_watched = !there || S_ISREG(s.st_mode);
    run->trace_inode = there ? s.st_ino : 0;
    run->trace_changed = there ? s.st_ctim : (struct timespec){0};
    return 0;
}

/* A trace replaces the file that was there, so it is another one: of another number, or a later one that was given the
 * same number when the first was gone, as happens to a program that writes its trace at the end of each section. */
static bool is_another(const struct stat *s, const sup_run *run) {
    return s->st_ino != run->trace_inode || s->st_ctim.tv_sec != run->trace_changed.tv_sec ||
           s->st_ctim.tv_nsec != run->trace_changed.tv_nsec;
}

int sup_run_trace_verify(const sup_run *run, int code) {
    struct stat s;
    if (code || !run->trace_watched) return code;
    if (!stat(run->tell.trace, &s) && is_another(&s, run)) return code;
    return sup_cli_fail(VERB, SUP_EXIT_FILE, "no trace was written to %s: the program never called bsp_begin",
                        run->tell.trace);
}

void sup_run_say_unchecked(int code, bool began) {
    if (!code && !began) sup_cli_fail(VERB, 0, "--check: nothing was checked: the program never called bsp_begin");
}

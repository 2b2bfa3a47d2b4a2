/* Running gnuplot (gnuplot.h). Script, picture and complaints pass through files in memory, so that neither side waits
 * for the other. */
#include "report/draw/gnuplot.h"

#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_S 60.0
#define NOT_FOUND 127

enum { SCRIPT, PICTURE, COMPLAINT, FILES };

static void close_all(int files[FILES]) {
    for (int i = 0; i < FILES; i++)
        if (files[i] >= 0) close(files[i]);
}

static bool open_all(int files[FILES]) {
    static const char *const names[FILES] = {"script", "picture", "complaint"};
    bool good = true;
    for (int i = 0; i < FILES; i++) {
        files[i] = memfd_create(names[i], MFD_CLOEXEC);
        good = good && files[i] >= 0;
    }
    return good;
}

static bool write_all(int file, const char *data, size_t length) {
    while (length) {
        ssize_t wrote = write(file, data, length);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        data += wrote;
        length -= (size_t)wrote;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static char *read_all(int file, size_t *length) {
    struct stat stat;
    if (fstat(file, &stat) || stat.st_size < 0) return NULL;
    char *text = malloc((size_t)stat.st_size + 1);
    size_t used = 0;
    while (text && used < (size_t)stat.st_size) {
        ssize_t got = pread(file, text + used, (size_t)stat.st_size - used, (off_t)used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        used += (size_t)got;
    }
    if (text) text[used] = 0;
    *length = used;
    return text;
}

static void become_gnuplot(const int files[FILES], char *const argv[]) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (dup2(files[SCRIPT], STDIN_FILENO) < 0 || dup2(files[PICTURE], STDOUT_FILENO) < 0 ||
        dup2(files[COMPLAINT], STDERR_FILENO) < 0)
        _exit(NOT_FOUND - 1);
    execvp(argv[0], argv);
    _exit(NOT_FOUND);
}

/* Waits for it, but not for ever. */
static sup_status await(pid_t pid, int *status) {
    struct timespec nap = {.tv_nsec = 1000000};
    double until = sup_clock_now() + PATIENCE_S;
    for (;;) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid) return SUP_OK;
        if (got < 0 && errno != EINTR) return SUP_EIO;
        if (sup_clock_now() > until) {
            kill(pid, SIGKILL);
            while (waitpid(pid, status, 0) < 0 && errno == EINTR) continue;
            return SUP_ETIMEOUT;
        }
        nanosleep(&nap, NULL);
    }
}

/* The first line that says something. */
static sup_status complain(int file, int status, sup_diag *diag) {
    size_t length = 0;
    char *text = read_all(file, &length);
    char *line = text ? text + strspn(text, " \n\r\t^") : NULL;
    if (line) line[strcspn(line, "\n\r")] = 0;
    if (WIFSIGNALED(status))
        sup_diag_set(diag, SUP_EIO, NULL, 0, "gnuplot was killed by signal %d", WTERMSIG(status));
    else
        sup_diag_set(diag, SUP_EIO, NULL, 0, "gnuplot failed: %.200s", line && *line ? line : "it does not say why");
    free(text);
    return SUP_EIO;
}

static sup_status run(char *const argv[], const char *script, size_t length, sup_diag *diag, char **out,
                      size_t *out_length) {
    int files[FILES], status = 0;
    sup_status result = SUP_OK;
    if (!open_all(files) || !write_all(files[SCRIPT], script, length)) {
        result = sup_diag_errno(diag, SUP_EIO, NULL, "cannot hand a script to gnuplot");
        goto close_files;
    }
    pid_t pid = fork();
    if (pid == 0) become_gnuplot(files, argv);
    if (pid < 0) {
        result = sup_diag_errno(diag, SUP_EIO, NULL, "cannot start gnuplot");
        goto close_files;
    }
    result = await(pid, &status);
    if (result) {
        sup_diag_set(diag, result, NULL, 0, "gnuplot did not end within %.0f s", PATIENCE_S);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        result = sup_diag_set(diag, SUP_ENOTSUP, NULL, 0,
                              "gnuplot is not installed (no gnuplot in PATH); install the package gnuplot-nox");
    } else if (status) {
        result = complain(files[COMPLAINT], status, diag);
    } else {
        *out = read_all(files[PICTURE], out_length);
        if (!*out) result = sup_diag_no_memory(diag);
    }
close_files:
    close_all(files);
    return result;
}

sup_status sup_gnuplot_check(sup_diag *diag) {
    char name[] = "gnuplot", version[] = "--version", *const argv[] = {name, version, NULL};
    char *text = NULL;
    size_t length;
    sup_status status = run(argv, "", 0, diag, &text, &length);
    free(text);
    return status;
}

sup_status sup_gnuplot_draw(const char *script, size_t length, sup_diag *diag, char **out, size_t *out_length) {
    char name[] = "gnuplot", plain[] = "-d", input[] = "-", *const argv[] = {name, plain, input, NULL};
    char *text = NULL;
    size_t got = 0;
    sup_status status = run(argv, script, length, diag, &text, &got);
    if (status) return status;
    if (!got || !out) {
        free(text);
        return out ? sup_diag_set(diag, SUP_EIO, NULL, 0, "gnuplot drew nothing") : SUP_OK;
    }
    *out = text;
    *out_length = got;
    return SUP_OK;
}

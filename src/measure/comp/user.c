/* Users' kernels (comp/user.h; term Tcomp): tried in a child, then loaded.
 *
 *     parent                       child
 *     pipe, shared page, fork ───▶ dlopen, check, then for each footprint: setup, run, verify, tear-down
 *     wait for a verdict,          (what it is doing is written on the shared page before it does it)
 *     an end or the limit     ◀─── verdict: status and text
 *     dlopen
 *
 * The child has its output thrown away and leaves by _exit: nothing of ours is flushed or removed twice. */
#include "measure/comp/user.h"

#include "base/clock.h"
#include "measure/comp/team.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT_S 20.0
#define MOST_BYTES ((size_t)16 << 20)
#define VERIFY_BYTES ((size_t)1 << 20) /* above this, verifying a cubic kernel takes for ever: it only runs */

typedef struct trial {
    char doing[64]; /* shared with the child, always terminated by its last byte */
    size_t bytes;
    sup_diag verdict;
    volatile int judged;
} trial;

/* ---- the contract ---- */

static bool is_name(const char *name) {
    if (!name || !*name || strlen(name) > 63) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '-' && *name != '_') return false;
    return true;
}

static sup_status check_table(const char *path, const sup_kernel *k, sup_diag *diag) {
    if (!k) return sup_diag_set(diag, SUP_EPARSE, path, 0, "exports no sup_kernel_plugin");
    if (k->abi != SUP_KERNEL_ABI || k->size != sizeof *k)
        return sup_diag_set(diag, SUP_EVERSION, path, 0,
                            "is made for version %u of the kernel interface; this is version %d", k->abi,
                            SUP_KERNEL_ABI);
    if (!is_name(k->name))
        return sup_diag_set(diag, SUP_EINVAL, path, 0, "has no name of letters, digits, - and _ (at most 63)");
    if (!k->unit || !*k->unit || strlen(k->unit) > 63)
        return sup_diag_set(diag, SUP_EINVAL, path, 0, "kernel %s has no unit of work", k->name);
    if (!(k->bytes_per_unit >= 0) || !(k->flops_per_unit >= 0) || isinf(k->bytes_per_unit) || isinf(k->flops_per_unit))
        return sup_diag_set(diag, SUP_EINVAL, path, 0, "kernel %s has no sensible bytes or flops per unit", k->name);
    if (!k->setup || !k->run || !k->verify)
        return sup_diag_set(diag, SUP_EINVAL, path, 0, "kernel %s lacks setup, run or verify", k->name);
    return SUP_OK;
}

static sup_status open_object(const char *path, sup_diag *diag, void **object, const sup_kernel **kernel) {
    /* A name without a slash would be looked for in the system's directories: what the user names is a file. */
    char file[4200];
    if (snprintf(file, sizeof file, "%s%s", strchr(path, '/') ? "" : "./", path) >= (int)sizeof file)
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0, "the name of the kernel's file is too long");
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return sup_diag_set(diag, SUP_EPARSE, path, 0, "is no shared object to load: %s", dlerror());
    const sup_kernel *k = dlsym(handle, "sup_kernel_plugin");
    sup_status status = check_table(path, k, diag);
    if (status) {
        dlclose(handle);
        return status;
    }
    *object = handle;
    *kernel = k;
    return SUP_OK;
}

/* ---- the child ---- */

static void doing(trial *t, const char *call, size_t bytes) {
    snprintf(t->doing, sizeof t->doing, "%s", call);
    t->bytes = bytes;
}

/* Memory whose last byte is followed by an inaccessible page; bytes is a multiple of 64. */
static void *guarded(size_t bytes, void **mapping, size_t *mapped) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page + page;
    char *m = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) return NULL;
    if (mprotect(m + whole - page, page, PROT_NONE)) return NULL;
    *mapping = m;
    *mapped = whole;
    return m + whole - page - bytes;
}

static sup_status try_size(trial *t, const char *path, const sup_kernel *k, size_t bytes, bool verify) {
    void *mapping = NULL;
    size_t mapped = 0;
    void *memory = guarded(bytes, &mapping, &mapped);
    if (!memory) return sup_diag_set(&t->verdict, SUP_ENOMEM, path, 0, "no memory to try %zu bytes", bytes);
    sup_kernel_work w = {0};
    doing(t, "setup", bytes);
    if (k->setup(memory, bytes, &w))
        return sup_diag_set(&t->verdict, SUP_EINVAL, path, 0, "kernel %s: setup failed with %zu bytes", k->name, bytes);
    if (!sup_work_possible(&w, bytes))
        return sup_diag_set(&t->verdict, SUP_EINVAL, path, 0,
                            "kernel %s: setup describes impossible work with %zu bytes", k->name, bytes);
    for (int pass = 1; pass <= (verify ? 3 : 1); pass++) {
        doing(t, "run", bytes);
        uint64_t units = 0, first = verify ? w.pass_iterations / 2 : 0;
        if (first) units += k->run(w.state, first);
        units += k->run(w.state, verify ? w.pass_iterations - first : 1);
        if (verify ? units != w.pass_units : units == 0)
            return sup_diag_set(&t->verdict, SUP_EINVAL, path, 0,
                                "kernel %s: a pass over %zu bytes did %llu units, setup said %llu", k->name, bytes,
                                (unsigned long long)units, (unsigned long long)w.pass_units);
        doing(t, "verify", bytes);
        if (verify && !k->verify(w.state))
            return sup_diag_set(&t->verdict, SUP_EINVAL, path, 0,
                                "kernel %s: wrong results after %d pass%s over %zu bytes", k->name, pass,
                                pass > 1 ? "es" : "", bytes);
    }
    doing(t, "teardown", bytes);
    if (k->teardown) k->teardown(w.state);
    munmap(mapping, mapped);
    return SUP_OK;
}

static size_t round_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

static sup_status try_all(trial *t, const char *path, size_t most) {
    void *object = NULL;
    const sup_kernel *k = NULL;
    doing(t, "dlopen", 0);
    sup_status status = open_object(path, &t->verdict, &object, &k);
    if (status || !k) return status;
    doing(t, "unavailable", 0);
    if (k->unavailable && k->unavailable())
        return sup_diag_set(&t->verdict, SUP_ENOTSUP, path, 0, "kernel %s says it cannot run here", k->name);
    size_t least = round_up(k->least_bytes > 1024 ? k->least_bytes : 1024);
    if (least > most || k->least_bytes > most)
        return sup_diag_set(&t->verdict, SUP_EINVAL, path, 0,
                            "kernel %s needs at least %zu bytes, more than is measured", k->name, k->least_bytes);
    size_t end = most < VERIFY_BYTES ? most : VERIFY_BYTES;
    for (size_t bytes = least; bytes <= end && !status; bytes = round_up(bytes * 5 / 2 + 64))
        status = try_size(t, path, k, bytes, true);
    if (!status && most > end) status = try_size(t, path, k, most / 64 * 64, false);
    return status;
}

static _Noreturn void child(trial *t, const char *path, size_t most, int done) {
    static const int restored[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM, SIGALRM, SIGPIPE};
    for (size_t i = 0; i < sizeof restored / sizeof *restored; i++) signal(restored[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    t->verdict.status = try_all(t, path, most);
    t->judged = 1;
    ssize_t ignored = write(done, "", 1);
    (void)ignored;
    _exit(0);
}

/* ---- the parent ---- */

/* True if the child said something or ended, false when the limit has passed. */
static bool await(int fd, double limit_s) {
    double end = sup_clock_now() + limit_s;
    for (;;) {
        double left = end - sup_clock_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, left > 0.0 ? (int)(left * 1e3) + 1 : 0);
        if (n > 0) return true;
        if (n == 0 && left <= 0.0) return false;
        if (n < 0 && errno != EINTR) return false;
    }
}

static sup_status judge(const trial *t, const char *path, bool spoke, int how, double limit_s, sup_diag *diag) {
    char where[128];
    if (t->bytes)
        snprintf(where, sizeof where, "in %.63s with %zu bytes", t->doing, t->bytes);
    else
        snprintf(where, sizeof where, "in %.63s", t->doing[0] ? t->doing : "the beginning");
    if (!spoke)
        return sup_diag_set(diag, SUP_ETIMEOUT, path, 0, "the kernel hangs %s: no result in %.3g s", where, limit_s);
    if (t->judged) {
        if (diag) *diag = t->verdict;
        return t->verdict.status;
    }
    if (WIFSIGNALED(how))
        return sup_diag_set(diag, SUP_EINVAL, path, 0, "the kernel crashed %s: %s", where, strsignal(WTERMSIG(how)));
    return sup_diag_set(diag, SUP_EINVAL, path, 0, "the kernel ended the process %s with status %d", where,
                        WEXITSTATUS(how));
}

static sup_status try_in_child(const char *path, size_t most, double limit_s, sup_diag *diag) {
    int ends[2], how = 0;
    sup_status status = SUP_OK;
    trial *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t == MAP_FAILED) return sup_diag_errno(diag, SUP_ENOMEM, path, "cannot map a page");
    if (pipe2(ends, O_CLOEXEC)) {
        status = sup_diag_errno(diag, SUP_EIO, path, "cannot make a pipe");
        goto unmap;
    }
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        child(t, path, most, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        status = sup_diag_errno(diag, SUP_EIO, path, "cannot start a process to try the kernel in");
        goto close_pipe;
    }
    bool spoke = await(ends[0], limit_s);
    if (!spoke || t->judged) kill(pid, SIGKILL); /* it has nothing more to say */
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {
    }
    status = judge(t, path, spoke, how, limit_s, diag);
close_pipe:
    close(ends[0]);
unmap:
    munmap(t, sizeof *t);
    return status;
}

sup_status sup_user_kernel_load(const char *path, const sup_user_options *options, sup_diag *diag,
                                sup_user_kernel *out) {
    double limit_s = options && options->limit_s > 0.0 ? options->limit_s : LIMIT_S;
    size_t most = options && options->most_bytes ? options->most_bytes : MOST_BYTES;
    if (access(path, R_OK)) return sup_diag_errno(diag, SUP_ENOENT, path, "cannot read the kernel");
    sup_status status = options && options->tried ? SUP_OK : try_in_child(path, most, limit_s, diag);
    if (status) return status;
    sup_user_kernel k = {.path = strdup(path)};
    if (!k.path) return sup_diag_no_memory(diag);
    status = open_object(path, diag, &k.object, &k.kernel);
    if (status) {
        free(k.path);
        return status;
    }
    *out = k;
    return SUP_OK;
}

void sup_user_kernel_unload(sup_user_kernel *kernel) {
    if (!kernel->object) return;
    dlclose(kernel->object);
    free(kernel->path);
    *kernel = (sup_user_kernel){0};
}

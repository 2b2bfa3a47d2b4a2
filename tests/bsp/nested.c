/* What a rank starts is a program of its own: before the first BSP call, between supersteps and behind bsp_end each
 * rank that was told to starts BSP programs, directly and by `superstep run`, and goes on with its own run.
 *
 *     nested TOOL NET…       the outer program; a NET is a transport that `TOOL run` is given inside
 *     nested --inner N FDS   the inner one: asks for N processes, and finds FDS shared segments when it starts
 *
 * The outer program says "outer of P" at the end, and complains and aborts where an inner one was not what it should
 * be.
 */
#include <bsp.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *self, *tool;
static char **nets;

static int segments(void) {
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char path[300], target[300];
        snprintf(path, sizeof path, "/proc/self/fd/%s", e->d_name);
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = 0;
        count += strstr(target, "memfd:superstep") != NULL;
    }
    if (dir) closedir(dir);
    return count;
}

/* Every process tells the next its number, a few times. */
static void ring(int rounds) {
    int me = bsp_pid(), p = bsp_nprocs(), got = -1;
    bsp_push_reg(&got, sizeof got);
    bsp_sync();
    for (int i = 0; i < rounds; i++) {
        int value = me + i;
        bsp_put((me + 1) % p, &value, &got, 0, sizeof value);
        bsp_sync();
        if (got != (me + p - 1) % p + i) bsp_abort("nested: rank %d got %d in round %d\n", me, got, i);
    }
    bsp_pop_reg(&got);
    bsp_sync();
}

static int inner(int n, int fds) {
    if (segments() != fds) {
        printf("%d shared segments, not %d\n", segments(), fds);
        return 1;
    }
    bsp_begin(n);
    ring(3);
    int p = bsp_nprocs();
    bsp_end();
    printf("inner of %d\n", p);
    return 0;
}

static void fail(const char *when, const char *command, int status, const char *said) {
    fprintf(stderr, "nested: %s, %s: status %d, says '%s'\n", when, command, status, said);
    exit(1);
}

/* The inner program must say one line. */
static void start(const char *when, const char *how, const char *arguments, const char *line) {
    char command[4096], said[400] = "";
    snprintf(command, sizeof command, "%s '%s' %s 2>&1", how, self, arguments);
    FILE *f = popen(command, "r");
    size_t used = f ? fread(said, 1, sizeof said - 1, f) : 0;
    said[used] = 0;
    int status = f ? pclose(f) : -1;
    if (status || strcmp(said, line)) fail(when, command, status, said);
}

static void start_all(const char *when) {
    char how[4000];
    start(when, "", "--inner 3 0", "inner of 3\n");
    start(when, "sh -c 'exec \"$0\" \"$@\"'", "--inner 2 0", "inner of 2\n");
    for (char **net = nets; *net; net++) {
        bool shm = !strcmp(*net, "shm");
        snprintf(how, sizeof how, "'%s' run -n 2 --net %s", tool, *net);
        start(when, how, shm ? "--inner 2 1" : "--inner 2 0", "inner of 2\n");
    }
}

int main(int argc, char **argv) {
    self = argv[0];
    if (argc == 4 && !strcmp(argv[1], "--inner")) return inner(atoi(argv[2]), atoi(argv[3]));
    if (argc < 2) return 2;
    tool = argv[1];
    nets = argv + 2;
    const char *rank = getenv("SUPERSTEP_RANK"); /* of the launcher, where there is one */
    if (!rank || !atoi(rank)) start_all("before the first call");
    bsp_begin(bsp_nprocs());
    int p = bsp_nprocs(), me = bsp_pid();
    ring(2);
    if (me == 0 || me == p - 1) start_all("inside");
    ring(2);
    if (system("exit 3") != 3 << 8) bsp_abort("nested: system() does not work\n");
    ring(2);
    bsp_end();
    start_all("behind bsp_end");
    printf("outer of %d\n", p);
    return 0;
}

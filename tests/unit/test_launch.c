/* What a process reads of its launcher: our own variables, those of the MPIs, and nonsense in either. Also parting: a
 * program that becomes P processes by itself, and its exit status. */
#include "net/launch/launch.h"
#include "net/launch/monitor.h"
#include "net/launch/order.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int clean(void **state) {
    (void)state;
    clearenv();
    return 0;
}

static sup_launch read_now(void) {
    sup_launch l;
    sup_launch_read(&l);
    return l;
}

static void nobody_launched(void **state) {
    (void)state;
    sup_launch l = read_now();
    assert_false(l.launched);
    assert_string_equal(l.net, "auto");
    assert_int_equal(l.rank, 0);
    assert_int_equal(l.size, 1);
    assert_int_equal(l.segment_fd, -1);
    assert_null(l.bad);
}

static void what_is_exported_is_read_back(void **state) {
    (void)state;
    sup_launch l = {.launched = true,
                    .net = "shm",
                    .rank = 2,
                    .size = 5,
                    .local_rank = 2,
                    .local_size = 5,
                    .segment_fd = open("/dev/null", O_RDONLY),
                    .oversubscribed = true,
                    .plan = "a plan.json",
                    .trace = "t",
                    .check = true,
                    .engine = "bulk",
                    .deadlock_s = 2.5};
    assert_int_equal(sup_launch_export(&l), SUP_OK);
    sup_launch r = read_now();
    assert_true(r.launched && r.check && r.oversubscribed);
    assert_int_equal(r.rank, 2);
    assert_int_equal(r.size, 5);
    assert_int_equal(r.segment_fd, l.segment_fd);
    assert_string_equal(r.plan, "a plan.json");
    assert_string_equal(r.engine, "bulk");
    assert_true(r.deadlock_s == 2.5);
    /* the same variables in a process that does not have the segment: leftovers of a run around it */
    close(l.segment_fd);
    r = read_now();
    assert_false(r.launched);
    assert_string_equal(r.net, "auto");
    assert_int_equal(r.rank, 0);
    /* nothing shines through */
    sup_launch_init(&l);
    assert_int_equal(sup_launch_export(&l), SUP_OK);
    r = read_now();
    assert_string_equal(r.plan, "");
    assert_false(r.check);
}

static void nonsense_is_absent_and_named(void **state) {
    (void)state;
    static const char *const bad[][2] = {{"SUPERSTEP_NET", "pigeon"},     {"SUPERSTEP_CHECK", "yes"},
                                         {"SUPERSTEP_ENGINE", "steam"},   {"SUPERSTEP_DEADLOCK_S", "-1"},
                                         {"SUPERSTEP_DEADLOCK_S", "nan"}, {"SUPERSTEP_OVERSUBSCRIBED", "7"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        clearenv();
        setenv(bad[i][0], bad[i][1], 1);
        sup_launch l = read_now();
        assert_non_null(l.bad);
        assert_string_equal(l.bad, bad[i][0]);
        assert_false(l.launched || l.check || l.oversubscribed);
    }
    static const char *const ranks[][2] = {{"3", "3"}, {"-1", "3"}, {"x", "3"}, {"0", "0"}, {"1", "99999999999"}};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        clearenv();
        setenv("SUPERSTEP_NET", "shm", 1);
        setenv("SUPERSTEP_RANK", ranks[i][0], 1);
        setenv("SUPERSTEP_SIZE", ranks[i][1], 1);
        setenv("SUPERSTEP_SEGMENT_FD", "0", 1);
        sup_launch l = read_now();
        assert_false(l.launched);
        assert_non_null(l.bad);
        assert_int_equal(l.size, 1);
    }
    char *longer = malloc(5001);
    memset(longer, 'a', 5000);
    longer[5000] = 0;
    clearenv();
    setenv("SUPERSTEP_PLAN", longer, 1);
    sup_launch l = read_now();
    assert_string_equal(l.bad, "SUPERSTEP_PLAN");
    assert_string_equal(l.plan, "");
    free(longer);
}

static void set_number(const char *name, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    setenv(name, text, 1);
}

static void launchers_of_mpi(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "2", 1);
    sup_launch l = read_now();
    assert_true(l.launched);
    assert_string_equal(l.net, "openmpi");
    assert_int_equal(l.rank, 1);
    assert_int_equal(l.local_size, 2);
    clearenv();
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "3", 1);
    assert_false(read_now().launched); /* no way to talk to hydra: a leftover */
    set_number("PMI_FD", ends[0]);
    setenv("MPI_LOCALRANKID", "0", 1);
    setenv("MPI_LOCALNRANKS", "1", 1);
    l = read_now();
    assert_true(l.launched);
    assert_string_equal(l.net, "mpich");
    assert_int_equal(l.rank, 2);
    setenv("SUPERSTEP_NET", "openmpi", 1); /* whoever says it, means it */
    assert_string_equal(read_now().net, "openmpi");
    unsetenv("SUPERSTEP_NET");
    close(ends[0]);
    assert_false(read_now().launched); /* the same in a process that does not have the connection */
    close(ends[1]);
    clearenv();
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_NTASKS", "8", 1);
    assert_false(read_now().launched); /* a batch script has these too */
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_NAMESPACE", "slurm.pmix.1.0", 1);
    l = read_now();
    assert_true(l.launched);
    assert_string_equal(l.net, "openmpi");
    assert_int_equal(l.size, 8);
}

/* What a child of a rank reads: as launched, and with how many processes. */
static int child_reads(void) {
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        sup_launch l = read_now();
        _exit(l.launched ? l.size : 100);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WEXITSTATUS(status);
}

static void what_a_rank_takes_is_its_own(void **state) {
    (void)state;
    sup_launch l = {.launched = true,
                    .net = "shm",
                    .rank = 2,
                    .size = 5,
                    .local_rank = 2,
                    .local_size = 5,
                    .segment_fd = open("/dev/null", O_RDONLY),
                    .trace = "t",
                    .check = true};
    assert_int_equal(sup_launch_export(&l), SUP_OK);
    assert_int_equal(child_reads(), 5); /* it may be a wrapper that starts the rank */
    sup_launch mine, next;
    sup_launch_take(&mine);
    assert_true(mine.launched && mine.check);
    assert_int_equal(mine.segment_fd, l.segment_fd);
    assert_string_equal(mine.trace, "t");
    assert_int_equal(fcntl(l.segment_fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(child_reads(), 100);
    assert_null(getenv("SUPERSTEP_TRACE"));
    assert_string_equal(getenv("SUPERSTEP_RANK"), "2"); /* scripts may like to know */
    close(l.segment_fd);
    sup_launch_take(&next); /* somebody else's */
    assert_false(next.launched || next.check);
}

static void what_a_rank_of_mpi_takes_is_its_own(void **state) {
    (void)state;
    sup_launch mine;
    int ends[2], again[2];
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("PMIX_NAMESPACE", "100", 1);
    assert_int_equal(child_reads(), 4);
    sup_launch_take(&mine);
    assert_true(mine.launched);
    assert_int_equal(mine.size, 4);
    assert_string_equal(getenv("OMPI_COMM_WORLD_RANK"), "1"); /* MPI has yet to read it */
    assert_true(read_now().launched);                         /* for the rank itself, also if it executes another */
    assert_int_equal(child_reads(), 100);
    setenv("PMIX_NAMESPACE", "101", 1); /* an mpirun inside */
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    assert_int_equal(child_reads(), 3);
    clearenv();
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, again), 0);
    setenv("PMI_RANK", "2", 1);
    setenv("PMI_SIZE", "6", 1);
    set_number("PMI_FD", ends[0]);
    assert_int_equal(child_reads(), 6);
    sup_launch_take(&mine);
    assert_int_equal(mine.size, 6);
    assert_int_equal(child_reads(), 100);
    assert_int_equal(dup2(again[0], ends[0]), ends[0]); /* an mpiexec inside has the same number for another */
    assert_int_equal(child_reads(), 6);
    for (int i = 0; i < 2; i++) {
        close(ends[i]);
        close(again[i]);
    }
}

static void a_launcher_inside_leaves_the_run_around_it(void **state) {
    (void)state;
    sup_launch outer, l;
    setenv("SUPERSTEP_TRACE", "mine", 1);
    setenv("SUPERSTEP_NO_KERNEL_COPY", "1", 1);
    outer = read_now();
    sup_launch_leave(&outer, &l);
    assert_string_equal(l.trace, "mine"); /* as good as an option */
    outer = (sup_launch){.net = "shm", .size = 2, .trace = "theirs", .check = true, .no_kernel_copy = true};
    outer.segment_fd = open("/dev/null", O_RDONLY);
    assert_int_equal(sup_launch_export(&outer), SUP_OK);
    outer = read_now();
    assert_true(outer.launched);
    sup_launch_leave(&outer, &l);
    assert_string_equal(l.trace, "");
    assert_false(l.check || l.launched);
    assert_true(l.no_kernel_copy); /* that is about the machine */
    assert_int_equal(l.segment_fd, -1);
    setenv("OMPI_COMM_WORLD_RANK", "1", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    setenv("PMIX_NAMESPACE", "100", 1);
    setenv("PMIX_MCA_gds", "hash", 1);
    setenv("OMPI_MCA_btl", "self,tcp", 1);
    setenv("OMPI_MCA_orte_hnp_uri", "x", 1);
    sup_launch_forget(&outer);
    assert_null(getenv("OMPI_COMM_WORLD_RANK"));
    assert_null(getenv("OMPI_COMM_WORLD_SIZE"));
    assert_null(getenv("PMIX_NAMESPACE"));
    assert_null(getenv("OMPI_MCA_orte_hnp_uri"));
    assert_string_equal(getenv("OMPI_MCA_btl"), "self,tcp"); /* the user's */
    assert_string_equal(getenv("PMIX_MCA_gds"), "hash");
    assert_int_equal(fcntl(outer.segment_fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(outer.segment_fd);
}

/* Parts in a process of its own; its exit status, and how many bytes the processes wrote. */
static int part(int size, int bad_rank, int sig, ssize_t *wrote) {
    int ends[2];
    char bytes[64];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        sup_launch l;
        sup_monitor_options o = {.size = size, .name = "test"};
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDERR_FILENO);
        close(ends[0]);
        if (sup_monitor_part(&o, NULL, &l)) _exit(99);
        if (l.size != size || l.segment_fd < 0 || write(ends[1], "x", 1) != 1) _exit(98);
        if (l.rank == bad_rank && sig) kill(getpid(), sig);
        if (l.rank == bad_rank) _exit(17);
        if (bad_rank >= 0) sleep(30);
        _exit(0);
    }
    close(ends[1]);
    *wrote = 0;
    for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;) *wrote += n;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void parting(void **state) {
    (void)state;
    ssize_t wrote;
    assert_int_equal(part(3, -1, 0, &wrote), 0);
    assert_int_equal(wrote, 3);
    assert_int_equal(part(1, -1, 0, &wrote), 0);
    assert_int_equal(wrote, 1);
    assert_int_equal(part(4, 2, 0, &wrote), 17);
    assert_int_equal(part(4, 0, SIGKILL, &wrote), 128 + SIGKILL);
    assert_int_equal(part(0, -1, 0, &wrote), 99);
    assert_int_equal(part(100000, -1, 0, &wrote), 99);
}

/* ---- the order for the process around a rank ---- */

static bool environment_has(const char *text) {
    for (char **v = environ; v && *v; v++)
        if (strstr(*v, text)) return true;
    return false;
}

static void an_order_arrives_whole_and_once(void **state) {
    (void)state;
    static char every[256], large[250001], program[] = "/bin/a : b", colon[] = ":", empty[] = "";
    for (int i = 1; i < 256; i++) every[i - 1] = (char)i;
    memset(large, '%', sizeof large - 1);
    char *argv[] = {colon, empty, every, large, empty, NULL};
    sup_order order = {.program = program, .argv = argv}, got;
    sup_diag diag;
    int parts = 0;
    assert_int_equal(sup_order_put(&order, &diag, &parts), SUP_OK);
    assert_int_equal(parts, 8);
    assert_int_equal(sup_order_take(&diag, &got), SUP_OK);
    assert_string_equal(got.program, program);
    for (int i = 0; i < 5; i++) assert_string_equal(got.argv[i], argv[i]);
    assert_null(got.argv[5]);
    sup_order_free(&got);
    assert_false(environment_has("SUPERSTEP_"));
    assert_int_equal(sup_order_take(&diag, &got), SUP_ENOENT);
}

static void an_order_that_is_not_whole_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"1+/bin/a",
                                      "2+/bin/a+a",
                                      "0+/bin/a",
                                      "x+/bin/a+a",
                                      "1+/bin/a+a b",
                                      "1+/bin/a+%",
                                      "1+/bin/a+%4",
                                      "1+/bin/a+%00",
                                      "1+/bin/a+%4g",
                                      "1",
                                      ""};
    sup_order got;
    sup_diag diag;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        setenv("SUPERSTEP_ORDER_0", bad[i], 1);
        assert_int_equal(sup_order_take(&diag, &got), *bad[i] ? SUP_EPARSE : SUP_ENOENT);
        assert_null(getenv("SUPERSTEP_ORDER_0"));
    }
}

static void an_order_that_is_too_long_is_refused(void **state) {
    (void)state;
    size_t length = 7000000;
    char *large = malloc(length + 1), program[] = "/bin/true";
    assert_non_null(large);
    memset(large, 'a', length);
    large[length] = 0;
    char *argv[] = {program, large, NULL};
    sup_order order = {.program = program, .argv = argv};
    sup_diag diag;
    int parts;
    assert_int_equal(sup_order_put(&order, &diag, &parts), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "too long"));
    free(large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nobody_launched, clean),
        cmocka_unit_test_setup(what_is_exported_is_read_back, clean),
        cmocka_unit_test_setup(nonsense_is_absent_and_named, clean),
        cmocka_unit_test_setup(launchers_of_mpi, clean),
        cmocka_unit_test_setup(what_a_rank_takes_is_its_own, clean),
        cmocka_unit_test_setup(what_a_rank_of_mpi_takes_is_its_own, clean),
        cmocka_unit_test_setup(a_launcher_inside_leaves_the_run_around_it, clean),
        cmocka_unit_test_setup(an_order_arrives_whole_and_once, clean),
        cmocka_unit_test_setup(an_order_that_is_not_whole_is_refused, clean),
        cmocka_unit_test_setup(an_order_that_is_too_long_is_refused, clean),
        cmocka_unit_test_setup(parting, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

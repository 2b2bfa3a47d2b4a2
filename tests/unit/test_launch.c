/* What a process reads of its launcher: our own variables, those of the MPIs, and nonsense in either. Also parting: a
 * program that becomes P processes by itself, and its exit status. */
#include "net/launch.h"
#include "net/monitor.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void launchers_of_mpi(void **state) {
    (void)state;
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
    setenv("PMI_FD", "7", 1);
    setenv("MPI_LOCALRANKID", "0", 1);
    setenv("MPI_LOCALNRANKS", "1", 1);
    l = read_now();
    assert_true(l.launched);
    assert_string_equal(l.net, "mpich");
    assert_int_equal(l.rank, 2);
    setenv("SUPERSTEP_NET", "openmpi", 1); /* whoever says it, means it */
    assert_string_equal(read_now().net, "openmpi");
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nobody_launched, clean),
        cmocka_unit_test_setup(what_is_exported_is_read_back, clean),
        cmocka_unit_test_setup(nonsense_is_absent_and_named, clean),
        cmocka_unit_test_setup(launchers_of_mpi, clean),
        cmocka_unit_test_setup(parting, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

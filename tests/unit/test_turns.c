/* Turns of launches that live side by side (measure/campaign/turns.h), between real processes: each waits until it is
 * let go, nobody misses a turn however late he comes, and all go on when who gives turns ends or is killed. */
#include "measure/campaign/turns.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/test-turns-XXXXXX";
static char request[64];

static int begin(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(request, sizeof request, "%s/request", folder);
    return 0;
}

static int end(void **state) {
    (void)state;
    return rmdir(folder);
}

static void forget(void) {
    char path[96];
    snprintf(path, sizeof path, "%s." SUP_TURNS_FILE, request);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s." SUP_TURNS_TOLD, request);
    assert_int_equal(unlink(path), 0);
}

/* Takes turns, and writes what each was; at the end, 0, it is over. */
static pid_t member(bool leads, int out) {
    pid_t pid = fork();
    if (pid) return pid;
    sup_turns t;
    sup_turns_join(request, &t);
    for (double seconds = 1.0; seconds > 0.0;) {
        seconds = sup_turns_wait(&t, leads);
        if (write(out, &seconds, sizeof seconds) != sizeof seconds) _exit(1);
    }
    sup_turns_leave(&t);
    _exit(0);
}

static double next_of(int in) {
    double seconds = -1.0;
    assert_int_equal(read(in, &seconds, sizeof seconds), sizeof seconds);
    return seconds;
}

static bool is_silent(int in) {
    struct pollfd p = {.fd = in, .events = POLLIN};
    return poll(&p, 1, 50) == 0;
}

static void wait_until_told(sup_turns *t) {
    struct pollfd p = {.fd = t->told, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 30000), 1);
    assert_true(sup_turns_told(t));
    assert_false(sup_turns_told(t));
}

static void ended_well(pid_t pid) {
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void turns_are_given(void **state) {
    (void)state;
    sup_turns t;
    int first[2], second[2];
    assert_int_equal(pipe(first), 0);
    assert_int_equal(pipe(second), 0);
    assert_int_equal(sup_turns_open(request, NULL, &t), SUP_OK);
    pid_t leader = member(true, first[1]);
    wait_until_told(&t);
    assert_true(is_silent(first[0]));
    assert_int_equal(sup_turns_give(&t, 0.25), SUP_OK);
    assert_true(next_of(first[0]) == 0.25);
    wait_until_told(&t); /* it waits again */
    assert_int_equal(sup_turns_give(&t, 0.5), SUP_OK);
    assert_true(next_of(first[0]) == 0.5);
    wait_until_told(&t);
    pid_t late = member(false, second[1]); /* after two turns: it has both, and waits for the third */
    assert_true(next_of(second[0]) == 0.25 && next_of(second[0]) == 0.5);
    assert_true(is_silent(second[0]) && is_silent(first[0]));
    sup_turns_end(&t);
    assert_true(next_of(first[0]) == 0.0 && next_of(second[0]) == 0.0);
    ended_well(leader);
    ended_well(late);
    for (int i = 0; i < 2; i++) {
        close(first[i]);
        close(second[i]);
    }
    forget();
}

/* The lock ends with whoever has it. */
static void nobody_waits_for_who_was_killed(void **state) {
    (void)state;
    int in[2], ready[2];
    char byte = 0;
    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(ready), 0);
    pid_t giver = fork();
    if (giver == 0) {
        sup_turns t;
        if (sup_turns_open(request, NULL, &t) || write(ready[1], &byte, 1) != 1) _exit(1);
        for (;;) pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    pid_t members[2] = {member(true, in[1]), member(false, in[1])};
    assert_true(is_silent(in[0]));
    assert_int_equal(kill(giver, SIGKILL), 0);
    assert_int_equal(waitpid(giver, NULL, 0), giver);
    for (int i = 0; i < 2; i++) assert_true(next_of(in[0]) == 0.0);
    for (int i = 0; i < 2; i++) ended_well(members[i]);
    for (int i = 0; i < 2; i++) {
        close(in[i]);
        close(ready[i]);
    }
    forget();
}

/* On another host, or in a launch that is alone. */
static void without_turns_all_go_on(void **state) {
    (void)state;
    sup_turns t, other;
    sup_turns_join(request, &t);
    assert_true(isinf(sup_turns_wait(&t, true)) && isinf(sup_turns_wait(&t, false)));
    sup_turns_leave(&t);
    assert_int_equal(sup_turns_open(request, NULL, &t), SUP_OK);
    assert_int_equal(sup_turns_open(request, NULL, &other), SUP_EIO); /* they are somebody's */
    sup_turns_end(&t);
    forget();
    assert_int_equal(sup_turns_open("/proc/none/request", NULL, &t), SUP_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_are_given),
        cmocka_unit_test(nobody_waits_for_who_was_killed),
        cmocka_unit_test(without_turns_all_go_on),
    };
    return cmocka_run_group_tests(tests, begin, end);
}

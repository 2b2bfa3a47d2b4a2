/* Misuse that would corrupt memory, or hang, ends the run in normal mode too, with one line that says what and where.
 */
#include "misuse.h"

#include <bsp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LATER(s) ".*\\(rank 1, superstep " #s "\\)"
#define WHERE ".*\\(rank 1, superstep 2\\)"

static int x, nowhere;

/* ---- direct remote memory access ---- */

static void put_unregistered(bool wrong) {
    if (wrong) bsp_put(0, &x, &nowhere, 0, sizeof x);
}
static void put_inner_address(bool wrong) {
    if (wrong) bsp_put(0, &x, misuse_area + 1, 0, sizeof x); /* an address inside an area does not name it */
}
static void put_outside(bool wrong) {
    if (wrong) bsp_put(0, &x, misuse_area, sizeof misuse_area - 1, 2);
}
static void put_far_outside(bool wrong) {
    if (wrong) bsp_put(0, &x, misuse_area, 1000000, 1);
}
static void put_wraps(bool wrong) {
    if (wrong) bsp_put(0, &x, misuse_area, SIZE_MAX - 1, sizeof x); /* offset + size is small again */
}
static void put_negative_size(bool wrong) {
    int n = -4;
    if (wrong) bsp_put(0, &x, misuse_area, 0, (size_t)n);
}
static void put_negative_offset(bool wrong) {
    int n = -4;
    if (wrong) bsp_put(0, &x, misuse_area, (size_t)n, sizeof x);
}
static void put_pid_negative(bool wrong) {
    if (wrong) bsp_put(-1, &x, misuse_area, 0, sizeof x);
}
static void put_pid_large(bool wrong) {
    if (wrong) bsp_put(bsp_nprocs(), &x, misuse_area, 0, sizeof x);
}
static void put_too_early(bool wrong) {
    bsp_push_reg(&nowhere, sizeof nowhere);
    if (wrong) bsp_put(0, &x, &nowhere, 0, sizeof x);
}
static void put_after_pop(bool wrong) {
    bsp_pop_reg(misuse_area);
    bsp_sync();
    if (wrong) bsp_put(0, &x, misuse_area, 0, sizeof x);
}
static void put_to_null(bool wrong) {
    bsp_push_reg(wrong ? &x : NULL, 0);
    bsp_sync();
    if (wrong) bsp_put(0, &x, &x, 0, 1);
}
static void hpput_outside(bool wrong) {
    if (wrong) bsp_hpput(0, &x, misuse_area, sizeof misuse_area, 1);
}
static void hpput_pid(bool wrong) {
    if (wrong) bsp_hpput(99, &x, misuse_area, 0, 1);
}
static void get_unregistered(bool wrong) {
    if (wrong) bsp_get(0, &nowhere, 0, &x, sizeof x);
}
static void get_outside(bool wrong) {
    if (wrong) bsp_get(0, misuse_area, 5, &x, sizeof x);
}
static void get_pid(bool wrong) {
    if (wrong) bsp_get(-2, misuse_area, 0, &x, sizeof x);
}
static void hpget_outside(bool wrong) {
    if (wrong) bsp_hpget(0, misuse_area, 5, &x, sizeof x);
}
static void hpget_unregistered(bool wrong) {
    if (wrong) bsp_hpget(0, &nowhere, 0, &x, sizeof x);
}
static void direct_get_outside(bool wrong) {
    if (wrong) bsp_direct_get(0, misuse_area, 5, &x, sizeof x);
}
static void direct_get_null(bool wrong) {
    void *nothing = wrong ? NULL : &x;
    bsp_direct_get(0, misuse_area, 0, nothing, sizeof x);
}
static void push_negative(bool wrong) {
    int n = -1;
    bsp_push_reg(&x, wrong ? (size_t)n : sizeof x);
}
static void push_null(bool wrong) { bsp_push_reg(wrong ? NULL : &x, sizeof x); }
static void pop_unregistered(bool wrong) { bsp_pop_reg(wrong ? &nowhere : misuse_area); }

/* The second call of a pair goes the short way: the same area and size as the one before. */
static double here8;
static void put_null(bool wrong) {
    if (wrong) bsp_put(0, NULL, misuse_area, 0, 1);
}
static void put_null_short(bool wrong) {
    const void *volatile none = NULL; /* not known to the compiler */
    bsp_push_reg(&here8, sizeof here8);
    bsp_sync();
    bsp_put(0, &here8, &here8, 0, sizeof here8);
    if (wrong) bsp_put(0, none, &here8, 0, sizeof here8);
}
static void hpput_null(bool wrong) {
    if (wrong) bsp_hpput(0, NULL, misuse_area, 0, sizeof x);
}
static void get_null(bool wrong) {
    if (wrong) bsp_get(0, misuse_area, 0, NULL, sizeof x);
}
static void get_null_short(bool wrong) {
    double d;
    bsp_push_reg(&here8, sizeof here8);
    bsp_sync();
    bsp_get(0, &here8, 0, &d, sizeof d);
    if (wrong) bsp_get(0, &here8, 0, NULL, sizeof d);
}
static void hpget_null(bool wrong) {
    if (wrong) bsp_hpget(0, misuse_area, 0, NULL, sizeof x);
}

/* ---- messages ---- */

static void send_pid(bool wrong) {
    if (wrong) bsp_send(bsp_nprocs(), NULL, &x, sizeof x);
}
static void send_negative(bool wrong) {
    int n = -8;
    if (wrong) bsp_send(0, NULL, &x, (size_t)n);
}
static void tagsize_negative(bool wrong) {
    int n = wrong ? -1 : 4;
    bsp_set_tagsize(&n);
}
static void move_negative(bool wrong) {
    int n = -1;
    bsp_send(bsp_pid(), NULL, &x, sizeof x);
    bsp_sync();
    if (wrong) bsp_move(&x, (size_t)n);
}

static void send_null(bool wrong) {
    if (wrong) bsp_send(0, NULL, NULL, sizeof here8);
}
static void send_null_tag(bool wrong) {
    int n = 8;
    bsp_set_tagsize(&n);
    bsp_sync();
    bsp_send(0, &here8, &here8, sizeof here8);
    if (wrong) bsp_send(0, NULL, &here8, sizeof here8);
}
static void tagsize_null(bool wrong) {
    int n = 0, *none = wrong ? NULL : &n;
    bsp_set_tagsize(none);
}
/* A message of nbytes with a tag of 4 is in the queue of everybody. */
static void have_message(size_t nbytes) {
    int n = sizeof x;
    bsp_set_tagsize(&n);
    bsp_sync();
    bsp_send(bsp_pid(), &x, misuse_area, nbytes);
    bsp_sync();
}
static void tag_null(bool wrong) {
    int status, tag;
    have_message(sizeof x);
    bsp_get_tag(&status, wrong ? NULL : &tag);
}
static void move_null(bool wrong) {
    have_message(sizeof x);
    bsp_move(wrong ? NULL : &x, sizeof x);
}
static void move_null_short(bool wrong) {
    char room[16];
    bsp_send(bsp_pid(), NULL, "sixteen bytes ..", 16);
    bsp_sync();
    bsp_move(wrong ? NULL : room, 16);
}
static void hpmove_null(bool wrong) {
    void *tag, *payload;
    have_message(sizeof x);
    bsp_hpmove(wrong ? NULL : &tag, &payload);
}
static void hpmove_null_payload(bool wrong) {
    void *tag, *payload;
    have_message(sizeof x);
    bsp_hpmove(&tag, wrong ? NULL : &payload);
}

/* ---- calls that differ between the processes ---- */

static int y;

static void differ_push(bool wrong) {
    if (!wrong) bsp_push_reg(&x, sizeof x);
}
static void differ_push_one(bool wrong) {
    if (wrong) bsp_push_reg(&x, sizeof x); /* the others have no change of their own to show */
}
static void differ_pop(bool wrong) {
    if (wrong) bsp_pop_reg(misuse_area);
}
static void differ_order(bool wrong) {
    bsp_push_reg(&x, sizeof x);
    bsp_push_reg(&y, sizeof y);
    bsp_sync();
    bsp_pop_reg(wrong ? &x : &y);
    bsp_sync();
}
static void differ_kind(bool wrong) {
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    if (wrong) bsp_pop_reg(&x);
    bsp_push_reg(&y, sizeof y);
    if (!wrong) bsp_pop_reg(&x); /* as many of each, in another order */
}
static void pop_null_of_address(bool wrong) {
    bsp_push_reg(NULL, 0);
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_pop_reg(wrong ? NULL : &x);
}
static void pop_null_of_none(bool wrong) {
    bsp_push_reg(wrong ? &x : NULL, 0);
    bsp_push_reg(wrong ? NULL : &y, 0);
    bsp_sync();
    bsp_pop_reg(NULL);
}
static void differ_beside_null(bool wrong) {
    bsp_push_reg(bsp_pid() ? &x : NULL, 0);
    bsp_push_reg(bsp_pid() ? &y : NULL, 0);
    bsp_sync();
    bsp_pop_reg(!bsp_pid() ? NULL : wrong ? &x : &y);
}
static void differ_kind_null(bool wrong) {
    bsp_push_reg(wrong ? NULL : &x, 0);
    bsp_sync();
    if (wrong) bsp_pop_reg(NULL);
    bsp_push_reg(&y, sizeof y);
    if (!wrong) bsp_pop_reg(&x);
}
static void pop_null_unregistered(bool wrong) { bsp_pop_reg(wrong ? NULL : misuse_area); }
static void differ_tagsize(bool wrong) {
    int n = wrong ? 8 : 4;
    bsp_set_tagsize(&n);
}
static void differ_tagsize_one(bool wrong) {
    int n = 4;
    if (wrong) bsp_set_tagsize(&n);
}
static void differ_at_end(bool wrong) {
    int n = wrong ? 8 : 4;
    bsp_pop_reg(misuse_area);
    bsp_set_tagsize(&n);
    bsp_end();
}

/* ---- ending ---- */

static void abort_one(bool wrong) {
    if (wrong) bsp_abort("stopped at %d %s", 42, "percent");
}
static void abort_all(bool wrong) { bsp_abort("stopped by %s", wrong ? "all" : "all"); }
static void abort_computing(bool wrong) {
    if (wrong) bsp_abort("stopped while others compute");
    for (;;) pause(); /* never comes to a sync */
}
static void exit_one(bool wrong) {
    if (wrong) exit(0);
}
static void exit_all(bool wrong) { exit(wrong ? 0 : 0); }
static void end_early(bool wrong) {
    if (wrong) bsp_end();
}
static void nested_begin(bool wrong) {
    if (wrong) bsp_begin(2);
}
static void init_inside(bool wrong) {
    if (wrong) bsp_init(NULL, 0, NULL);
}
static void killed(bool wrong) {
    if (wrong) raise(SIGKILL);
}
static void stuck(bool wrong) {
    if (wrong) sleep(6);
}

static void gone(bool wrong) {
    if (wrong) _exit(0); /* not even exit handlers */
}
/* Rank 2 never comes to bsp_begin. */
static void never_begins(void) {
    const char *rank = getenv("SUPERSTEP_RANK");
    if (!rank || atoi(rank) == 2) return;
    bsp_begin(3);
    bsp_end();
}

static void put_before(void) { bsp_put(0, &x, &x, 0, sizeof x); }
static void sync_before(void) { bsp_sync(); }
static void send_before(void) { bsp_send(0, NULL, &x, sizeof x); }
static void push_before(void) { bsp_push_reg(&x, sizeof x); }
static void pid_before(void) { x = bsp_pid(); }
static void end_before(void) { bsp_end(); }
static void begin_zero(void) { bsp_begin(0); }
static void abort_before(void) { bsp_abort("stopped before it began"); }

static void begin_again(void) { bsp_begin(2); }
static void abort_after(void) { bsp_abort("stopped after the end"); }

static const misuse cases[] = {
    {"put_unregistered", 2, "e", "^bsp_put: .*regist" WHERE, put_unregistered, 0, 0},
    {"put_inner_address", 2, "-", "^bsp_put: .*regist" WHERE, put_inner_address, 0, 0},
    {"put_outside", 2, "e", "^bsp_put: " WHERE, put_outside, 0, 0},
    {"put_far_outside", 2, "-", "^bsp_put: " WHERE, put_far_outside, 0, 0},
    {"put_wraps", 2, "-", "^bsp_put: " WHERE, put_wraps, 0, 0},
    {"put_negative_size", 2, "-", "^bsp_put: " WHERE, put_negative_size, 0, 0},
    {"put_negative_offset", 2, "-", "^bsp_put: " WHERE, put_negative_offset, 0, 0},
    {"put_pid_negative", 2, "-", "^bsp_put: .*-1" WHERE, put_pid_negative, 0, 0},
    {"put_pid_large", 2, "-", "^bsp_put: .*2" WHERE, put_pid_large, 0, 0},
    {"put_too_early", 2, "-", "^bsp_put: .*regist" WHERE, put_too_early, 0, 0},
    {"put_after_pop", 2, "-", "^bsp_put: .*regist.*\\(rank 1, superstep 3\\)", put_after_pop, 0, 0},
    {"put_to_null", 2, "-", "^bsp_put: .*\\(rank 1, superstep 3\\)", put_to_null, 0, 0},
    {"hpput_outside", 2, "-", "^bsp_hpput: " WHERE, hpput_outside, 0, 0},
    {"hpput_pid", 2, "-", "^bsp_hpput: .*99" WHERE, hpput_pid, 0, 0},
    {"get_unregistered", 2, "-", "^bsp_get: .*regist" WHERE, get_unregistered, 0, 0},
    {"get_outside", 2, "-", "^bsp_get: " WHERE, get_outside, 0, 0},
    {"get_pid", 2, "-", "^bsp_get: .*-2" WHERE, get_pid, 0, 0},
    {"hpget_outside", 2, "-", "^bsp_hpget: " WHERE, hpget_outside, 0, 0},
    {"hpget_unregistered", 2, "-", "^bsp_hpget: .*regist" WHERE, hpget_unregistered, 0, 0},
    {"direct_get_outside", 2, "e", "^bsp_direct_get: .*outside" WHERE, direct_get_outside, 0, 0},
    {"direct_get_null", 2, "n", "^bsp_direct_get: .*NULL" WHERE, direct_get_null, 0, 0},
    {"push_negative", 2, "-", "^bsp_push_reg: " WHERE, push_negative, 0, 0},
    {"push_null", 2, "-", "^bsp_push_reg: .*NULL" WHERE, push_null, 0, 0},
    {"pop_unregistered", 2, "-", "^bsp_pop_reg: .*regist" WHERE, pop_unregistered, 0, 0},
    {"send_pid", 2, "-", "^bsp_send: .*2" WHERE, send_pid, 0, 0},
    {"send_negative", 2, "-", "^bsp_send: " WHERE, send_negative, 0, 0},
    {"tagsize_negative", 2, "-", "^bsp_set_tagsize: " WHERE, tagsize_negative, 0, 0},
    {"move_negative", 2, "-", "^bsp_move: .*\\(rank 1, superstep 3\\)", move_negative, 0, 0},
    {"put_null", 2, "-", "^bsp_put: .*NULL" WHERE, put_null, 0, 0},
    {"put_null_short", 2, "e", "^bsp_put: .*NULL" LATER(3), put_null_short, 0, 0},
    {"hpput_null", 2, "-", "^bsp_hpput: .*NULL" WHERE, hpput_null, 0, 0},
    {"get_null", 2, "-", "^bsp_get: .*NULL" WHERE, get_null, 0, 0},
    {"get_null_short", 2, "e", "^bsp_get: .*NULL" LATER(3), get_null_short, 0, 0},
    {"hpget_null", 2, "-", "^bsp_hpget: .*NULL" WHERE, hpget_null, 0, 0},
    {"send_null", 2, "-", "^bsp_send: payload is NULL" WHERE, send_null, 0, 0},
    {"send_null_tag", 2, "-", "^bsp_send: tag is NULL" LATER(3), send_null_tag, 0, 0},
    {"tagsize_null", 2, "-", "^bsp_set_tagsize: .*NULL" WHERE, tagsize_null, 0, 0},
    {"tag_null", 2, "-", "^bsp_get_tag: tag is NULL" LATER(4), tag_null, 0, 0},
    {"move_null", 2, "-", "^bsp_move: payload is NULL" LATER(4), move_null, 0, 0},
    {"move_null_short", 2, "e", "^bsp_move: payload is NULL" LATER(3), move_null_short, 0, 0},
    {"hpmove_null", 2, "-", "^bsp_hpmove: tag is NULL" LATER(4), hpmove_null, 0, 0},
    {"hpmove_null_payload", 2, "-", "^bsp_hpmove: payload is NULL" LATER(4), hpmove_null_payload, 0, 0},
    {"differ_push", 2, "en", "^bsp_push_reg: .*1 call on rank 0, 0 calls on rank 1 ", differ_push, 0, 0},
    {"differ_push_one", 7, "en", "^bsp_push_reg: .*0 calls on ranks 0-5, 1 call on rank 6 ", differ_push_one, 0, 0},
    {"differ_pop", 3, "en", "^bsp_pop_reg: .*0 calls on ranks 0, 1, 1 call on rank 2 ", differ_pop, 0, 0},
    {"differ_order", 2, "n", "^bsp_pop_reg: .* on rank 0 and rank 1 ", differ_order, 0, 0},
    {"pop_null_of_address", 3, "en", "^bsp_pop_reg: NULL on rank 2, for .* address .* rank 0 names it .*superstep 3",
     pop_null_of_address, 0, 0},
    {"pop_null_of_none", 2, "en", "^bsp_pop_reg: NULL on all 2 ranks, and .*superstep 3", pop_null_of_none, 0, 0},
    {"differ_beside_null", 4, "en", "^bsp_pop_reg: .* on ranks 1, 2 and rank 3 ", differ_beside_null, 0, 0},
    {"differ_kind_null", 2, "en", "^bsp_pop_reg: .* on rank 0 and rank 1 ", differ_kind_null, 0, 0},
    {"pop_null_unregistered", 2, "n", "^bsp_pop_reg: .*regist" WHERE, pop_null_unregistered, 0, 0},
    {"differ_kind", 4, "en", "^bsp_pop_reg: .* on ranks 0-2 and rank 3 ", differ_kind, 0, 0},
    {"differ_tagsize", 2, "n", "^bsp_set_tagsize: .*4 bytes on rank 0, 8 bytes on rank 1 ", differ_tagsize, 0, 0},
    {"differ_tagsize_one", 7, "en", "^bsp_set_tagsize: .*0 bytes on ranks 0-5, 4 bytes on rank 6 ", differ_tagsize_one,
     0, 0},
    {"differ_at_end", 2, "n", "^bsp_set_tagsize: .*4 bytes on rank 0, 8 bytes on rank 1 ", differ_at_end, 0, 0},
    {"abort_one", 3, "e", "stopped at 42 percent", abort_one, 0, 0},
    {"abort_all", 3, "-", "stopped by all", abort_all, 0, 0},
    {"abort_computing", 3, "e", "stopped while others compute", abort_computing, 0, 0},
    {"exit_one", 3, "e", "bsp_end.*rank 2", exit_one, 0, 0},
    {"exit_all", 2, "-", "bsp_end", exit_all, 0, 0},
    {"end_early", 2, "n", "bsp_(end|sync): .*rank", end_early, 0, 0},
    {"nested_begin", 2, "-", "^bsp_begin: " WHERE, nested_begin, 0, 0},
    {"init_inside", 2, "-", "^bsp_init: " WHERE, init_inside, 0, 0},
    {"killed", 3, "n", "", killed, 0, 0},
    {"stuck", 3, "den", "bsp_sync", stuck, 0, 0},
    {"gone", 3, "n", "bsp_sync: rank 2 has ended", gone, 0, 0},
    {"never_begins", 3, "n", "bsp_begin: rank 2 has ended", 0, never_begins, 0},
    {"put_before", 1, "-", "^bsp_put: .*bsp_begin", 0, put_before, 0},
    {"sync_before", 1, "-", "^bsp_sync: .*bsp_begin", 0, sync_before, 0},
    {"send_before", 1, "-", "^bsp_send: .*bsp_begin", 0, send_before, 0},
    {"push_before", 1, "-", "^bsp_push_reg: .*bsp_begin", 0, push_before, 0},
    {"pid_before", 1, "-", "^bsp_pid: .*bsp_begin", 0, pid_before, 0},
    {"end_before", 1, "-", "^bsp_end: .*bsp_begin", 0, end_before, 0},
    {"begin_zero", 1, "-", "^bsp_begin: ", 0, begin_zero, 0},
    {"abort_before", 1, "-", "stopped before it began", 0, abort_before, 0},
    {"put_after_end", 2, "-", "^bsp_put: .*bsp_end", 0, 0, put_before},
    {"sync_after_end", 2, "-", "^bsp_sync: .*bsp_end", 0, 0, sync_before},
    {"end_twice", 2, "-", "^bsp_end: ", 0, 0, end_before},
    {"begin_again", 2, "n", "^bsp_end: .* without calling it", 0, 0, begin_again},
    {"pid_between", 2, "-", "^bsp_pid: .*bsp_end", 0, 0, pid_before},
    {"abort_after", 2, "-", "stopped after the end", 0, 0, abort_after},
    {0},
};

int main(int argc, char **argv) { return misuse_main(cases, argc, argv); }

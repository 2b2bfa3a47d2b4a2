/* Errors that only check mode looks for (superstep run --check). Each report names the call, the rank, the superstep
 * and the source line, which is the one marked `here: NAME`. */
#include "misuse.h"

#include <bsp.h>
#include <stddef.h>
#include <string.h>

#define WHERE ".*rank 1, superstep 2"

static int x, y, nowhere[4], large[5000];

static void unregistered(bool wrong) {
    if (wrong) bsp_put(0, &x, nowhere, 0, sizeof x); /* here: unregistered */
}

static void outside(bool wrong) {
    if (wrong) bsp_hpput(0, &x, misuse_area, 6, sizeof x); /* here: outside */
}

static void too_early(bool wrong) {
    bsp_push_reg(nowhere, sizeof nowhere);
    if (wrong) bsp_get(0, nowhere, 0, &x, sizeof x); /* here: too_early */
}

static void race(bool wrong) {
    (void)wrong;
    bsp_put(0, &x, misuse_area, 0, sizeof x); /* here: race */
}

static void race_in_part(bool wrong) { bsp_put(0, &x, misuse_area, wrong ? 2 : 0, sizeof x); /* here: race_in_part */ }

static void race_unbuffered(bool wrong) {
    if (wrong)
        bsp_hpput(0, &x, misuse_area, 0, sizeof x); /* here: race_unbuffered */
    else
        bsp_put(0, &x, misuse_area, 2, sizeof x);
}

static void source_changed(bool wrong) {
    x = 1;
    if (wrong) bsp_hpput(0, &x, misuse_area, 0, sizeof x); /* here: source_changed */
    x = 2;
}

static void source_changed_large(bool wrong) {
    bsp_push_reg(nowhere, 0);
    memset(large, 1, sizeof large);
    if (wrong) bsp_hpput(1, large, misuse_area, 0, sizeof misuse_area); /* here: source_changed_large */
    large[1] = 7;
    bsp_pop_reg(nowhere);
}

static void push_missing(bool wrong) {
    if (!wrong) bsp_push_reg(&x, sizeof x);
    bsp_sync();
}

static void push_against_pop(bool wrong) {
    if (wrong)
        bsp_pop_reg(misuse_area); /* here: push_against_pop */
    else
        bsp_push_reg(&x, sizeof x);
}

static void pop_of_another(bool wrong) {
    bsp_push_reg(&x, sizeof x);
    bsp_push_reg(&y, sizeof y);
    bsp_sync();
    bsp_pop_reg(wrong ? &x : &y); /* here: pop_of_another */
    bsp_sync();
    bsp_pop_reg(wrong ? &y : &x);
}

static void null_of_address(bool wrong) {
    bsp_push_reg(NULL, 0);
    bsp_push_reg(&x, sizeof x);
    bsp_sync();
    bsp_pop_reg(wrong ? NULL : &x); /* here: null_of_address */
}

static void other_beside_null(bool wrong) {
    bsp_push_reg(bsp_pid() ? &x : NULL, 0);
    bsp_push_reg(bsp_pid() ? &y : NULL, 0);
    bsp_sync();
    bsp_pop_reg(!bsp_pid() ? NULL : wrong ? &x : &y); /* here: other_beside_null */
}

static void null_against_push(bool wrong) {
    bsp_push_reg(NULL, 0);
    bsp_sync();
    if (wrong)
        bsp_pop_reg(NULL); /* here: null_against_push */
    else
        bsp_push_reg(&x, sizeof x);
}

static void null_unknown(bool wrong) { bsp_pop_reg(wrong ? NULL : misuse_area); /* here: null_unknown */ }

/* Of what is popped by NULL nothing is left, and of what is not there is a word. */
static void null_leak(bool wrong) {
    (void)wrong;
    bool root = bsp_pid() == 0;
    bsp_push_reg(root ? NULL : &x, 0); /* here: null_leak */
    bsp_push_reg(root ? NULL : &y, 0);
    bsp_sync();
    bsp_pop_reg(root ? NULL : &y);
}

static void tagsize(bool wrong) {
    int n = wrong ? 8 : 4;
    bsp_set_tagsize(&n); /* here: tagsize */
}

static void tagsize_missing(bool wrong) {
    int n = 4;
    if (!wrong) bsp_set_tagsize(&n);
}

static void sync_count(bool wrong) {
    if (wrong) bsp_end(); /* here: sync_count */
}

static void leak(bool wrong) {
    (void)wrong;
    bsp_push_reg(large, sizeof large); /* here: leak */
    bsp_sync();
}

static void race_differs(bool wrong) {
    x = 1 + wrong;
    bsp_put(0, &x, misuse_area, 0, sizeof x); /* here: race_differs */
}

/* Nobody knows which value the get will find. */
static void get_of_hpput(bool wrong) {
    if (wrong) bsp_hpput(0, &x, misuse_area, 4, sizeof x); /* here: get_of_hpput */
    if (!wrong) bsp_get(0, misuse_area, 4, &y, sizeof y);
}

static void hpget_of_put(bool wrong) {
    if (wrong) bsp_hpget(0, misuse_area, 0, &y, sizeof y); /* here: hpget_of_put */
    if (!wrong) bsp_put(0, &x, misuse_area, 3, 1);
}

static void two_gets(bool wrong) {
    if (wrong) bsp_get(0, misuse_area, 0, &y, sizeof y);
    if (wrong) bsp_get(0, misuse_area, 4, &y, sizeof y); /* here: two_gets */
}

/* An hpput whose source is the target of a put. */
static void source_overwritten(bool wrong) {
    x = 5;
    if (wrong) bsp_hpput(0, &misuse_area[1], misuse_area, 0, sizeof x); /* here: source_overwritten */
    if (!wrong) bsp_put(1, &x, misuse_area, 4, sizeof x);
}

static void unread(bool wrong) {
    if (wrong) bsp_send(1, NULL, &x, sizeof x);
    bsp_sync();
    bsp_sync(); /* here: unread */
}

static void no_tag(bool wrong) {
    int n = 4;
    bsp_set_tagsize(&n);
    bsp_sync();
    if (wrong) bsp_send(0, NULL, &x, sizeof x); /* here: no_tag */
}

static void pop_unknown(bool wrong) { bsp_pop_reg(wrong ? &nowhere[1] : misuse_area); /* here: pop_unknown */ }

static const misuse cases[] = {
    {"unregistered", 2, "e", "bsp_put: .*regist" WHERE, unregistered, 0, 0},
    {"outside", 2, "-", "bsp_hpput: " WHERE, outside, 0, 0},
    {"too_early", 2, "-", "bsp_get: .*regist" WHERE, too_early, 0, 0},
    {"race", 2, "ez", "bsp_put: .*overlap.*superstep 2", race, 0, 0},
    {"race_in_part", 2, "z", "bsp_put: .*overlap.*superstep 2", race_in_part, 0, 0},
    {"race_unbuffered", 2, "z", "bsp_(hp)?put: .*overlap.*superstep 2", race_unbuffered, 0, 0},
    {"source_changed", 2, "z", "bsp_hpput: .*changed" WHERE, source_changed, 0, 0},
    {"source_changed_large", 2, "z", "bsp_hpput: .*changed" WHERE, source_changed_large, 0, 0},
    {"push_missing", 2, "-", "bsp_push_reg: .*superstep 2", push_missing, 0, 0},
    {"push_against_pop", 2, "e", "bsp_(push|pop)_reg: .*superstep 2", push_against_pop, 0, 0},
    {"pop_of_another", 2, "-", "bsp_pop_reg: .*superstep 3", pop_of_another, 0, 0},
    {"null_of_address", 3, "e", "error: bsp_pop_reg: pops NULL, rank 0 pops registration 3 .*rank 2, superstep 3",
     null_of_address, 0, 0},
    {"other_beside_null", 3, "-", "error: bsp_pop_reg: pops registration 2, rank 1 pops registration 3",
     other_beside_null, 0, 0},
    {"null_against_push", 2, "e", "error: bsp_p[a-z]*_reg: at the same point rank . calls", null_against_push, 0, 0},
    {"null_unknown", 2, "-", "error: bsp_pop_reg: .*registered" WHERE, null_unknown, 0, 0},
    {"null_leak", 3, "z", "bsp_push_reg: .*still registered", null_leak, 0, 0},
    {"tagsize", 2, "-", "bsp_set_tagsize: .*superstep 2", tagsize, 0, 0},
    {"tagsize_missing", 2, "-", "bsp_set_tagsize: .*superstep 2", tagsize_missing, 0, 0},
    {"sync_count", 2, "-", "bsp_(end|sync): .*superstep 2", sync_count, 0, 0},
    {"race_differs", 2, "e", "error: bsp_put: overlaps.*different.*superstep 2", race_differs, 0, 0},
    {"get_of_hpput", 2, "e", "error: bsp_.*overlaps" WHERE, get_of_hpput, 0, 0},
    {"hpget_of_put", 2, "-", "error: bsp_.*overlaps" WHERE, hpget_of_put, 0, 0},
    {"two_gets", 2, "z", "warning: bsp_get: overlaps.*twice" WHERE, two_gets, 0, 0},
    {"source_overwritten", 2, "e", "error: bsp_put: overlaps bsp_hpput.*overwritten.*superstep 2", source_overwritten,
     0, 0},
    {"unread", 2, "z", "warning: bsp_sync: drops 1 message .*rank 1, superstep 3", unread, 0, 0},
    {"no_tag", 2, "-", "error: bsp_send: .*tag.*rank 1, superstep 3", no_tag, 0, 0},
    {"pop_unknown", 2, "-", "error: bsp_pop_reg: .*registered" WHERE, pop_unknown, 0, 0},
    {"leak", 2, "z", "bsp_push_reg: .*(leak|never|still)", leak, 0, 0},
    {0},
};

int main(int argc, char **argv) { return misuse_main(cases, argc, argv); }

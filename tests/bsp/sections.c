/* More than one parallel section in a program. Each moves data in every way and finds nothing of the last one: no
 * registration, tag size or message; memory that was allocated in a section is of use in the next.
 *
 *     sections init P [STATUS]   in functions named to bsp_init, on P, 1, 3 and P processes; then another function on P
 *     sections plain P [STATUS]  bsp_begin in main itself, on P, 2 and P processes
 *     sections order STEPS [STATUS]   i, j: a function is named to bsp_init; s, o with a number: the one or the other
 * on so many processes; k: one that names itself first; m: bsp_begin in main itself
 *
 * Rank 0 prints the number of processes of each, and "between" once after each: with bsp_init by itself alone. It ends
 * with STATUS. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <superstep/coll.h>

enum { WORDS = 4096 };
static int64_t *kept; /* from the first section that this process is in */
static int asked, number;
static int function; /* that this process came through to the section */

static void need(int holds, const char *what) {
    if (!holds) bsp_abort("section %d: %s (rank %d of %d)", number, what, bsp_pid(), bsp_nprocs());
}

static void use_messages(int64_t value, int right, int left) {
    int tag = 4, status, packets, bytes, from = bsp_pid();
    bsp_qsize(&packets, &bytes);
    need(packets == 0, "a message of the section before");
    bsp_set_tagsize(&tag);
    need(tag == 0, "the tag size of the section before");
    bsp_sync();
    bsp_send(right, &from, &value, sizeof value);
    bsp_sync();
    bsp_get_tag(&status, &tag);
    need(status == (int)sizeof value && tag == left, "a message was lost");
    bsp_send(right, &from, &value, sizeof value); /* not read by anybody: the next section must not see it */
}

static void use_memory(int64_t value, int right, int left) {
    static int64_t mine; /* memory of this process alone */
    int64_t got = 0, sum = 0, expected = 0;
    if (!kept) kept = malloc(WORDS * sizeof *kept);
    for (int i = 0; i < WORDS; i++) kept[i] = value;
    mine = value;
    bsp_push_reg(kept, WORDS * sizeof *kept);
    bsp_push_reg(&mine, sizeof mine);
    bsp_sync();
    bsp_put(right, &value, kept, 0, sizeof value);
    bsp_hpput(right, kept + 1, kept, (WORDS / 2) * sizeof *kept, (WORDS / 4) * sizeof *kept);
    bsp_get(right, &mine, 0, &got, sizeof got);
    bsp_sync();
    int64_t theirs = value - bsp_pid() + left;
    need(kept[0] == theirs && kept[WORDS / 2] == theirs && kept[WORDS - 1] == value, "a put went wrong");
    need(got == value - bsp_pid() + right, "a get went wrong");
    sup_bsp_allreduce_int64(SUP_BSP_SUM, &value, &sum, 1);
    for (int q = 0; q < bsp_nprocs(); q++) expected += value - bsp_pid() + q;
    need(sum == expected, "a collective operation went wrong");
    bsp_sync();
}

static void section(void) {
    int of_rank_0 = function;
    int right = (bsp_pid() + 1) % bsp_nprocs(), left = (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs();
    bsp_push_reg(&number, sizeof number); /* the others do not know */
    bsp_push_reg(&of_rank_0, sizeof of_rank_0);
    bsp_sync();
    for (int q = 1; q < bsp_nprocs() && bsp_pid() == 0; q++) {
        bsp_put(q, &number, &number, 0, sizeof number);
        bsp_put(q, &of_rank_0, &of_rank_0, 0, sizeof of_rank_0);
    }
    bsp_sync();
    need(of_rank_0 == function, "in another function than rank 0");
    need(bsp_time() >= 0, "time runs backwards");
    use_memory(1000 * number + bsp_pid(), right, left);
    use_messages(number, right, left);
    if (bsp_pid() == 0) printf("section %d on %d\n", number, bsp_nprocs());
}

static void spmd(void) {
    bsp_begin(asked);
    function = 1;
    section();
    bsp_end();
    fputs("between\n", stdout); /* in one piece: lines of two processes meet in the launcher of MPI */
}

static void other(void) {
    bsp_begin(asked);
    function = 2;
    section();
    if (bsp_pid() == 0) fputs("other\n", stdout);
    bsp_end();
}

static void named(int argc, char **argv) {
    bsp_init(spmd, argc, argv);
    int most = atoi(argv[2]), wanted[] = {most, 1, 3, most};
    for (int i = 0; i < 4; i++) {
        asked = wanted[i];
        number++;
        spmd();
    }
    bsp_init(other, argc, argv);
    number++;
    other();
}

static void plain(int most) {
    int wanted[] = {most, 2, most};
    for (int i = 0; i < 3; i++) {
        number++;
        bsp_begin(wanted[i]);
        section();
        bsp_end();
        fputs("between\n", stdout); /* in one piece: lines of two processes meet in the launcher of MPI */
    }
}

/* Names itself, as its first statement. */
static void naming(void) {
    bsp_init(naming, 0, NULL);
    bsp_begin(asked);
    function = 3;
    section();
    bsp_end();
}

static void step(char what) {
    switch (what) {
    case 'i': bsp_init(spmd, 0, NULL); return;
    case 'j': bsp_init(other, 0, NULL); return;
    default: number++;
    }
    switch (what) {
    case 's': spmd(); return;
    case 'o': other(); return;
    case 'k': naming(); return;
    default: /* in main itself */
        bsp_begin(asked);
        function = 0;
        section();
        bsp_end();
    }
}

static void order(const char *steps) {
    for (char *at = (char *)(uintptr_t)steps; *at;) {
        char what = *at++;
        asked = (int)strtol(at, &at, 10);
        step(what);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (!strcmp(argv[1], "init"))
        named(argc, argv);
    else if (!strcmp(argv[1], "order"))
        order(argv[2]);
    else
        plain(atoi(argv[2]));
    return argc > 3 ? atoi(argv[3]) : 0;
}

/* The trial: the program's own calls, by each of the sides in turn, on this communicator and of this size. The data are
 * where the program has them, and nothing is called that it has not asked for but a barrier before each, from which the
 * time runs. When a round is over the members agree on the slowest one's time of each call, and so on who is quickest.
 * Later there is another trial, so that neither a bad moment nor what has changed since decides for ever.
 *
 * Sides are what was chosen, the other of the two ways of long blocks (through cells, from memory to memory: which is
 * quicker differs from machine to machine), and the library's own.
 *
 * Which calls belong to a trial follows from their number, and what comes of it is agreed upon. Never asked for folds
 * that round. */
#include "base/clock.h"
#include "pmpi/pmpi.h"

#include <math.h>

/* A round: each side that is still in it has three calls behind each other, then two. Those that follow one of the same
 * side count: each finds the caches, and its own buffers, as it leaves them itself, which is how all calls will find
 * them that come after the trial. Of two sides none always has the shorter ones of a program that changes between two
 * sizes. */
enum { FIRST = 3, SECOND = 2, EACH = FIRST + SECOND - 2 };
_Static_assert(SUP_PMPI_TRIAL == SUP_PMPI_SIDES * (FIRST + SECOND), "a round has this many calls at most");
/* Calls that move so many bytes in all are dear to try, and what disturbs them is short beside them: two calls a side
 * and round, of which the second counts; and one, which counts, where so much moves that no cache is left as it was. */
enum { LONG = 1 << 18, VERY_LONG = 1 << 21 };

static int first_of(const sup_pmpi_class *k) { return k->in_a_row; }
static int calls_of(const sup_pmpi_class *k) { return k->in_a_row < FIRST ? k->in_a_row : FIRST + SECOND; }
static int each_of(const sup_pmpi_class *k) { return k->in_a_row < FIRST ? 1 : EACH; }

/* From one trial to the next there are so many times as many calls as before it. */
enum { LATER = 8, LATER_LEAST = 64 };

/* Who is so much better in its best time and in the middle has won; else there are more rounds, and in the last one who
 * is to take over has to win by more than its noise. The first round asks for more: it is three calls, or
 * one, and some operations of an MPI are slow in more than their first one. */
#define CLEAR_AT_ONCE 1.5f
#define CLEAR 1.1f
#define MARGIN 1.01f
#define SHORT_S 3e-6f

static int sides_in(const sup_pmpi_class *k, int list[SUP_PMPI_SIDES]) {
    int n = 0;
    for (int side = 0; side < SUP_PMPI_SIDES; side++)
        if (!(k->out >> side & 1)) list[n++] = side;
    return n;
}

/* Whose call number i of a round is, and whether it counts. */
static int turn_of(const sup_pmpi_class *k, const int *list, int n, int i, bool *counts) {
    bool first = i < n * first_of(k);
    int in_a_row = first ? first_of(k) : SECOND, at = first ? i : i - n * first_of(k);
    *counts = at % in_a_row != 0 || in_a_row == 1;
    return list[at / in_a_row];
}

static void add_sorted(float *sorted, int count, float value) {
    int at = count;
    for (; at > 0 && sorted[at - 1] > value; at--) sorted[at] = sorted[at - 1];
    sorted[at] = value;
}

static float middle_of(const sup_pmpi_side *side) { return side->middles[(side->rounds - 1) / 2]; }

static bool beats(const sup_pmpi_side *a, const sup_pmpi_side *b, float margin) {
    return a->least * margin <= b->least && middle_of(a) * margin <= middle_of(b);
}

/* The round's times join those of the rounds before it. */
static void add_round(sup_pmpi_class *k, const int *list, int n, const float *slowest) {
    float sorted[SUP_PMPI_SIDES][EACH];
    int count[SUP_PMPI_SIDES] = {0};
    bool counts;
    for (int i = 0; i < n * calls_of(k); i++) {
        int side = turn_of(k, list, n, i, &counts);
        if (counts) add_sorted(sorted[side], count[side]++, slowest[i]);
    }
    for (int i = 0; i < n; i++) {
        sup_pmpi_side *s = &k->side[list[i]];
        if (!s->rounds || sorted[list[i]][0] < s->least) s->least = sorted[list[i]][0];
        add_sorted(s->middles, s->rounds++, sorted[list[i]][each_of(k) / 2]);
    }
    k->rounds++;
}

/* Those that another one clearly beats are out. At least one stays. */
static void leave_out(sup_pmpi_class *k, const int *list, int n, float margin) {
    unsigned out = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && beats(&k->side[list[j]], &k->side[list[i]], margin)) out |= 1u << list[i];
    k->out |= out;
}

/* Of those that are left: the library's own if calls are so short that the barrier before each may hide what is between
 * the two; whose it is, if that one is among them; else the one with the shortest middle. */
static int best_of(const sup_pmpi_class *k) {
    int list[SUP_PMPI_SIDES], n = sides_in(k, list), best = list[0];
    const sup_pmpi_side *library = &k->side[SUP_PMPI_LIBRARY];
    if (!(k->out >> SUP_PMPI_LIBRARY & 1) && library->least < SHORT_S) return SUP_PMPI_LIBRARY;
    if (!(k->out >> k->holder & 1)) return k->holder;
    for (int i = 1; i < n; i++)
        if (middle_of(&k->side[list[i]]) < middle_of(&k->side[best])) best = list[i];
    return best;
}

static float margin_of(const sup_pmpi_class *k) {
    if (k->rounds == SUP_PMPI_ROUNDS) return MARGIN;
    return k->rounds == 1 ? CLEAR_AT_ONCE : CLEAR;
}

/* After a round. false: there is to be another one. */
static bool decide(sup_pmpi_comm *c, sup_pmpi_class *k, const int *list, int n) {
    float slowest[SUP_PMPI_TRIAL];
    if (PMPI_Allreduce(k->taken, slowest, n * calls_of(k), MPI_FLOAT, MPI_MAX, c->comm) != MPI_SUCCESS) return true;
    add_round(k, list, n, slowest);
    leave_out(k, list, n, margin_of(k));
    if (sides_in(k, (int[SUP_PMPI_SIDES]){0}) > 1 && k->rounds < SUP_PMPI_ROUNDS) return false;
    k->holder = best_of(k);
    k->pairs = each_of(k) * k->rounds;
    k->ours_s = middle_of(&k->side[k->holder]);
    k->theirs_s = middle_of(&k->side[SUP_PMPI_LIBRARY]);
    return true;
}

static void begin(sup_pmpi_class *k, int64_t bytes, bool two_ways) {
    k->in_a_row = bytes >= VERY_LONG ? 1 : bytes >= LONG ? 2 : FIRST;
    for (int i = 0; i < SUP_PMPI_SIDES; i++) k->side[i].rounds = 0;
    k->out = two_ways ? 0 : 1u << SUP_PMPI_OTHER;
}

int sup_pmpi_trial(sup_pmpi_comm *c, sup_pmpi_class *k, int64_t bytes, bool two_ways) {
    int list[SUP_PMPI_SIDES];
    bool counts;
    if (!k->tried && !k->rounds) begin(k, bytes, two_ways);
    int n = sides_in(k, list);
    if (k->tried == n * calls_of(k)) {
        k->tried = 0;
        if (decide(c, k, list, n)) {
            k->rounds = 0;
            k->ask_at = k->calls * LATER > LATER_LEAST ? k->calls * LATER : LATER_LEAST;
            return k->holder;
        }
        n = sides_in(k, list);
    }
    int i = k->tried++;
    k->taken[i] = INFINITY;
    PMPI_Barrier(c->comm);
    c->trial = k;
    c->trial_ns = sup_clock_ns();
    return turn_of(k, list, n, i, &counts);
}

void sup_pmpi_trial_over(sup_pmpi_comm *c) {
    sup_pmpi_class *k = c->trial;
    k->taken[k->tried - 1] = (float)((double)(sup_clock_ns() - c->trial_ns) * 1e-9);
    c->trial = NULL;
}

/* The longest path through the stages of a pattern: Tsync (BSP §5.6.5), by one forward pass over the edges instead of
 * the document's recursion, which is exponential.
 *
 *     one after the other                        vector (eq. 5.4)
 *       t += gap for each signal, the first of     f = t + Σ_j gap_ij + max(O_ii, max_j over_ij)
 *         a stage `less` of it; it arrives at      all signals of the stage arrive at f; rule 2: over is
 *         t + wire                                 O_jj for a receiver j that waits
 *       receiver: t = max(t, arrival) + recv       receiver: t = max(f, f of its senders)
 *       a word that many read: one gap, and all
 *         have read it when the last has
 *
 * Dissemination is what large machines use, and a stage of it is one shift of all ranks: pairs are of one class over
 * long stretches of ranks, so that the inner loop is a maximum of two streams. */
#include "model/equation/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A signal with what belongs to this very pair. */
static void single_out(const sup_platform *m, const sup_path *path, int64_t i, int64_t j, int class, bool waiting,
                       sup_signal *s) {
    *s = path->signals[class];
    if (m->ranged && !path->same) {
        sup_class_cost c;
        sup_platform_pair(m, i, j, &c);
        double fo = c.overhead_f / m->classes[class].overhead_f, fl = c.latency_f / m->classes[class].latency_f;
        s->over *= fo;
        s->recv *= fo;
        s->gap *= path->vector ? fl : fo;
        s->wire *= fl;
    }
    if (waiting && path->vector) s->over = sup_platform_self(m, j);
}

/* The edges of a stage, each with the class of its pair, which several steps ask for. */
typedef struct stage {
    const sup_platform *m;
    const sup_path *path;
    sup_pattern_edge *edges;
    int *classes;
    size_t n;
} stage;

static inline const sup_signal *signal_of(const stage *g, size_t e, sup_signal *room) {
    const sup_pattern_edge *edge = &g->edges[e];
    if (!g->m->ranged && !(edge->waiting && g->path->vector)) return &g->path->signals[g->classes[e]];
    single_out(g->m, g->path, edge->from, edge->to, g->classes[e], edge->waiting, room);
    return room;
}

/* ---- a word that many read ---- */

static inline bool is_common(const stage *g, size_t e) {
    return g->edges[e].common && g->path->words && !g->m->classes[g->classes[e]].network;
}

/* Along the logarithm of the readers, from one, which is a signal, on. */
static double published(const sup_signal_time *w, const sup_signal *s, double readers) {
    double x0 = 0, y0 = s->gap + s->wire + s->recv, x = log(readers);
    for (size_t i = 0; w && i < w->readers_count && readers > 1; i++) {
        double x1 = log((double)w->readers[i]), y1 = s->word * w->publish_s[i];
        if (x1 <= x0) continue;
        if (x <= x1 || i + 1 == w->readers_count) return fmax(y0 + (y1 - y0) * (x - x0) / (x1 - x0), fmin(y0, y1));
        x0 = x1;
        y0 = y1;
    }
    return y0;
}

/* Until all readers of the sender whose edges begin at this one have the word. */
static double word_time(const stage *g, size_t begin, const sup_signal *s) {
    const sup_signal *signals = g->path->signals;
    int far = g->classes[begin];
    double readers = 0;
    for (size_t e = begin; e < g->n && g->edges[e].from == g->edges[begin].from; e++) {
        if (!is_common(g, e)) continue;
        if (signals[g->classes[e]].wire > signals[far].wire) far = g->classes[e];
        readers++;
    }
    return published(g->path->words[far], signals[far].wire > s->wire ? &signals[far] : s, readers);
}

/* ---- any stage ---- */

/* Edges of one sender stand together. */
static void send_in_turn(const stage *g, double *t, double *arrival) {
    const sup_pattern_edge *edges = g->edges;
    double shared = 0; /* when the word that this sender's readers read is there for all of them */
    bool any = false;
    for (size_t e = 0; e < g->n; e++) {
        sup_signal room;
        const sup_signal *s = signal_of(g, e, &room);
        bool first = e == 0 || edges[e - 1].from != edges[e].from;
        double *own = &t[edges[e].from];
        if (first) any = false;
        if (is_common(g, e)) {
            if (!any) {
                shared = *own + word_time(g, e, s);
                *own += first ? s->gap - s->less : s->gap;
            }
            any = true;
            arrival[e] = shared;
            continue;
        }
        *own += first ? s->gap - s->less : s->gap;
        arrival[e] = *own + s->wire;
    }
}

static void send_vector(const stage *g, int64_t processes, double *t, double *arrival) {
    const sup_platform *m = g->m;
    const sup_pattern_edge *edges = g->edges;
    for (size_t e = 0; e < g->n;) {
        int64_t i = edges[e].from;
        double sum = 0, self = sup_platform_self(m, i), most = self;
        size_t first = e;
        for (; e < g->n && edges[e].from == i; e++) {
            sup_signal room;
            const sup_signal *s = signal_of(g, e, &room);
            sum += s->gap;
            if (s->over > most) most = s->over;
        }
        for (; first < e; first++) arrival[first] = t[i] + sum + most;
        t[i] += sum + most - self;
    }
    if (m->regular && !m->ranged) { /* the call costs everybody O_ii, also who has nothing to do in it */
        double self = sup_platform_self(m, 0);
        for (int64_t i = 0; i < processes; i++) t[i] += self;
    } else {
        for (int64_t i = 0; i < processes; i++) t[i] += sup_platform_self(m, i);
    }
}

static inline void receive(const stage *g, size_t e, double arrival, double *t) {
    sup_signal room;
    bool read = g->path->vector || is_common(g, e); /* reading is part of what the word took */
    double recv = read ? 0 : signal_of(g, e, &room)->recv, *own = &t[g->edges[e].to];
    *own = (arrival > *own ? arrival : *own) + recv;
}

/* Generators by which all inform all at once signal, and wait, in the order of distance around the circle; stages that
 * are listed, in that of ranks, as everybody else's have no other. */
enum { IN_TURN_MOST = 64 }; /* signals of a sender, up to which the order is followed */

static void sort_by_distance(sup_pattern_edge *edges, size_t n, int64_t processes) {
    for (size_t e = 1; e < n; e++)
        for (size_t k = e; k > 0 && edges[k - 1].from == edges[k].from; k--) {
            int64_t i = edges[k].from, a = edges[k - 1].to - i, b = edges[k].to - i;
            if ((a < 0 ? a + processes : a) <= (b < 0 ? b + processes : b)) break;
            sup_pattern_edge swap = edges[k];
            edges[k] = edges[k - 1];
            edges[k - 1] = swap;
        }
}

static size_t most_sent(const sup_pattern_edge *edges, size_t n) {
    size_t most = 0, first = 0;
    for (size_t e = 0; e < n; e++) {
        if (edges[e].from != edges[first].from) first = e;
        if (e - first + 1 > most) most = e - first + 1;
    }
    return most;
}

/* First everybody's first, then everybody's second … */
static void receive_in_turn(const stage *g, const double *arrival, size_t turns, double *t) {
    for (size_t turn = 0; turn < turns; turn++)
        for (size_t e = 0, first = 0; e < g->n; e++) {
            if (g->edges[e].from != g->edges[first].from) first = e;
            if (e - first == turn) receive(g, e, arrival[e], t);
        }
}

static void any_stage(const stage *g, int64_t processes, size_t turns, double *t, double *arrival) {
    if (g->path->vector)
        send_vector(g, processes, t, arrival);
    else
        send_in_turn(g, t, arrival);
    if (turns > 1)
        receive_in_turn(g, arrival, turns, t);
    else
        for (size_t e = 0; e < g->n; e++) receive(g, e, arrival[e], t);
}

/* Fills in edges, in the order in which they are sent, and their classes. Returns the turns of receivers. */
static size_t list_stage(const sup_pattern *p, int s, stage *g) {
    g->n = sup_pattern_stage(p, s, g->edges);
    bool around = !g->path->vector && !p->edges && p->generator->effect == SUP_PATTERN_SPREADS;
    size_t turns = around ? most_sent(g->edges, g->n) : 1;
    if (turns > IN_TURN_MOST) turns = 1;
    if (turns > 1) sort_by_distance(g->edges, g->n, p->processes);
    for (size_t e = 0; e < g->n; e++) g->classes[e] = sup_platform_class(g->m, g->edges[e].from, g->edges[e].to);
    return turns;
}

static sup_status any_pattern(const sup_platform *m, const sup_pattern *p, const sup_path *path, double *t) {
    size_t most = sup_pattern_widest(p) + 1;
    double *arrival = malloc(most * sizeof *arrival);
    stage g = {m, path, malloc(most * sizeof *g.edges), malloc(most * sizeof *g.classes), 0};
    bool good = g.edges && g.classes && arrival;
    for (int s = 0; s < p->stages && good; s++) {
        if (path->prepare) path->prepare(m, p, s, path->context, path->signals);
        size_t turns = list_stage(p, s, &g);
        any_stage(&g, p->processes, turns, t, arrival);
    }
    free(arrival);
    free(g.classes);
    free(g.edges);
    return good ? SUP_OK : SUP_ENOMEM;
}

/* ---- listed once, run often ---- */

enum { LISTED_MOST = 100000 }; /* edges: three megabytes */

struct sup_path_list {
    size_t *begin, *turns; /* [stages + 1], [stages] */
    sup_pattern_edge *edges;
    int *classes;
    double *arrival;
};

void sup_path_list_free(sup_path_list *l) {
    if (!l) return;
    free(l->begin);
    free(l->turns);
    free(l->edges);
    free(l->classes);
    free(l->arrival);
    free(l);
}

static size_t all_edges(const sup_pattern *p) {
    size_t all = 0;
    for (int s = 0; s < p->stages; s++) all += sup_pattern_stage(p, s, NULL);
    return all;
}

static bool make_room(const sup_pattern *p, size_t edges, sup_path_list *l) {
    size_t stages = (size_t)p->stages;
    l->begin = calloc(stages + 1, sizeof *l->begin);
    l->turns = calloc(stages + 1, sizeof *l->turns);
    l->edges = malloc((edges + 1) * sizeof *l->edges);
    l->classes = malloc((edges + 1) * sizeof *l->classes);
    l->arrival = malloc((sup_pattern_widest(p) + 1) * sizeof *l->arrival);
    return l->begin && l->turns && l->edges && l->classes && l->arrival;
}

static bool all_shifts(const sup_pattern *p) {
    for (int s = 0; s < p->stages; s++)
        if (!sup_pattern_shift(p, s)) return false;
    return true;
}

static bool runs_as_shifts(const sup_platform *m, const sup_pattern *p) {
    return m->regular && !m->ranged && all_shifts(p);
}

sup_status sup_path_list_make(const sup_platform *m, const sup_pattern *p, sup_path_list **out) {
    size_t edges = all_edges(p);
    *out = NULL;
    if (runs_as_shifts(m, p) || edges > LISTED_MOST) return SUP_OK;
    sup_path_list *l = calloc(1, sizeof *l);
    if (!l || !make_room(p, edges, l)) {
        sup_path_list_free(l);
        return SUP_ENOMEM;
    }
    const sup_path path = {.vector = false};
    for (int s = 0; s < p->stages; s++) {
        stage g = {m, &path, l->edges + l->begin[s], l->classes + l->begin[s], 0};
        l->turns[s] = list_stage(p, s, &g);
        l->begin[s + 1] = l->begin[s] + g.n;
    }
    *out = l;
    return SUP_OK;
}

static void listed_pattern(const sup_platform *m, const sup_pattern *p, const sup_path *path, double *t) {
    const sup_path_list *l = path->list;
    for (int s = 0; s < p->stages; s++) {
        size_t at = l->begin[s];
        stage g = {m, path, l->edges + at, l->classes + at, l->begin[s + 1] - at};
        if (path->prepare) path->prepare(m, p, s, path->context, path->signals);
        any_stage(&g, p->processes, l->turns[s], t, l->arrival);
    }
}

/* ---- shifts ---- */

/* Four at a time: compilers do not make vectors of a maximum that must treat NaN as the language says. */
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long quad_mask __attribute__((vector_size(32), aligned(8)));

static void stretch(const double *restrict own, const double *restrict other, double *restrict out, int64_t n, double a,
                    double b) {
    int64_t k = 0;
    const quad va = {a, a, a, a}, vb = {b, b, b, b};
    for (; k + 4 <= n; k += 4) {
        quad x = *(const quad *)(own + k) + va, y = *(const quad *)(other + k) + vb;
        quad_mask more = x > y;
        *(quad *)(out + k) = (quad)(((quad_mask)x & more) | ((quad_mask)y & ~more));
    }
    for (; k < n; k++) {
        double x = own[k] + a, y = other[k] + b;
        out[k] = x > y ? x : y;
    }
}

/* What a process adds to its own time and what its sender's time gets on the way, by the classes of the two signals. */
static double own_cost(const sup_path *path, const sup_signal *sends, const sup_signal *gets, double self) {
    if (path->vector) return sends->gap + (sends->over > self ? sends->over : self);
    return sends->gap - sends->less + gets->recv;
}

static double other_cost(const sup_path *path, const sup_signal *gets, double self) {
    if (path->vector) return gets->gap + (gets->over > self ? gets->over : self);
    return gets->gap - gets->less + gets->wire + gets->recv;
}

static int64_t wrap(int64_t rank, int64_t n) { return rank < 0 ? rank + n : rank >= n ? rank - n : rank; }

/* Short steps meet the ends of groups too often for runs to pay; looking the class up is cheap for powers of two. */
enum { SHORT_STEP = 32 };

static void short_stage(const sup_platform *m, const sup_path *path, int64_t n, int64_t d, const double *t,
                        double *out) {
    double self = path->vector ? sup_platform_self(m, 0) : 0;
    for (int64_t j = 0; j < n; j++) {
        int64_t i = wrap(j - d, n);
        const sup_signal *sends = &path->signals[sup_platform_class(m, j, wrap(j + d, n))];
        const sup_signal *gets = &path->signals[sup_platform_class(m, i, j)];
        double x = t[j] + own_cost(path, sends, gets, self), y = t[i] + other_cost(path, gets, self);
        out[j] = x > y ? x : y;
    }
}

/* One stage: everyone signals rank + d and waits for rank − d. */
static void shift_stage(const sup_platform *m, const sup_path *path, int64_t n, int64_t d, const double *t,
                        double *out) {
    double self = path->vector ? sup_platform_self(m, 0) : 0;
    if (m->by_width && d < SHORT_STEP) {
        short_stage(m, path, n, d, t, out);
        return;
    }
    for (int64_t j = 0; j < n;) {
        int64_t i = wrap(j - d, n);
        int64_t end = sup_platform_run(m, n, j, d), source_end = sup_platform_run(m, n, i, d) - i + j;
        if (source_end < end) end = source_end;
        const sup_signal *sends = &path->signals[sup_platform_class(m, j, wrap(j + d, n))];
        const sup_signal *gets = &path->signals[sup_platform_class(m, i, j)];
        stretch(t + j, t + i, out + j, end - j, own_cost(path, sends, gets, self), other_cost(path, gets, self));
        j = end;
    }
}

/* Groups inside groups that fill all processes: whoever has the same place in the largest that does not hold all meets
 * the same classes in every shift. How many places there are; 0: groups are otherwise. */
static int64_t places_of(const sup_platform *m, int64_t n) {
    int64_t places = 1;
    for (size_t l = 0; l < m->pairs->levels_count; l++) {
        int64_t size = m->pairs->levels[l].size;
        if (!size || size >= n) break;
        if (size % places) return 0;
        places = size;
    }
    return n % places ? 0 : places;
}

static bool all_alike(const double *t, int64_t n) {
    for (int64_t i = 1; i < n; i++)
        if (t[i] != t[0]) return false;
    return true;
}

/* One process of each place, for all. */
static void place_stage(const sup_platform *m, const sup_path *path, int64_t n, int64_t d, int64_t places,
                        const double *t, double *out) {
    double self = path->vector ? sup_platform_self(m, 0) : 0;
    for (int64_t j = 0; j < places; j++) {
        int64_t i = wrap(j - d, n);
        const sup_signal *sends = &path->signals[sup_platform_class(m, j, wrap(j + d, n))];
        const sup_signal *gets = &path->signals[sup_platform_class(m, i, j)];
        double x = t[j] + own_cost(path, sends, gets, self), y = t[i % places] + other_cost(path, gets, self);
        out[j] = x > y ? x : y;
    }
}

enum { PLACES_MOST = 4096 };

static void place_pattern(const sup_platform *m, const sup_pattern *p, const sup_path *path, int64_t places,
                          double *t) {
    double room[2][PLACES_MOST];
    memcpy(room[0], t, (size_t)places * sizeof *t);
    for (int s = 0; s < p->stages; s++) {
        if (path->prepare) path->prepare(m, p, s, path->context, path->signals);
        place_stage(m, path, p->processes, sup_pattern_shift(p, s), places, room[s % 2], room[1 - s % 2]);
    }
    const double *last = room[p->stages % 2];
    for (int64_t at = 0; at < p->processes; at += places) memcpy(t + at, last, (size_t)places * sizeof *t);
}

static sup_status shift_pattern(const sup_platform *m, const sup_pattern *p, const sup_path *path, double *t) {
    size_t bytes = (size_t)p->processes * sizeof *t;
    int64_t places = places_of(m, p->processes);
    if (places && places <= PLACES_MOST && places <= p->processes / 4 && all_alike(t, p->processes)) {
        place_pattern(m, p, path, places, t);
        return SUP_OK;
    }
    double *other = calloc(1, bytes), *now = t, *next = other;
    if (!other) return SUP_ENOMEM;
    for (int s = 0; s < p->stages; s++) {
        if (path->prepare) path->prepare(m, p, s, path->context, path->signals);
        shift_stage(m, path, p->processes, sup_pattern_shift(p, s), now, next);
        double *swap = now;
        now = next;
        next = swap;
    }
    if (now != t) memcpy(t, now, bytes);
    free(other);
    return SUP_OK;
}

sup_status sup_path_run(const sup_platform *m, const sup_pattern *p, const sup_path *path, double *t) {
    if (path->list) {
        listed_pattern(m, p, path, t);
        return SUP_OK;
    }
    if (runs_as_shifts(m, p)) return shift_pattern(m, p, path, t);
    return any_pattern(m, p, path, t);
}

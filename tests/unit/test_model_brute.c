/* The models hockney, pair, taulop, loggp, lognp, bsp and meyer computed a second time, by the shortest code that the
 * formulas of superstep-predict(1) and of the source documents allow: matrices instead of classes, lists of stages
 * instead of generators, the document's recursion instead of a forward pass. Some hundred random machines and
 * supersteps. */
#include "../sanitized.h"
#include "brute_machine.h"

enum { MACHINES = SANITIZED ? 80 : 400 };

/* ---- barriers ---- */

static void add(stage *s, int from, int to) {
    s->from[s->count] = from;
    s->to[s->count++] = to;
}

static barrier barrier_of(const char *name, int p) {
    barrier b = {0};
    if (!strcmp(name, "linear")) {
        b.stages = 2;
        for (int i = 1; i < p; i++) add(&b.stage[0], i, 0), add(&b.stage[1], 0, i);
    } else if (!strcmp(name, "tree")) {
        int up = 0;
        for (int step = 1; step < p; step *= 2, up++)
            for (int i = step; i < p; i += 2 * step) add(&b.stage[up], i, i - step);
        b.stages = 2 * up;
        for (int s = 0; s < up; s++)
            for (int k = 0; k < b.stage[s].count; k++)
                add(&b.stage[2 * up - 1 - s], b.stage[s].to[k], b.stage[s].from[k]);
    } else {
        for (int step = 1; step < p; step *= 2, b.stages++)
            for (int i = 0; i < p; i++) add(&b.stage[b.stages], i, (i + step) % p);
    }
    return b;
}

/* Rule 2: was the last that j did to signal i, with a stage or more between? */
static bool waits(const barrier *b, int at, int i, int j) {
    for (int s = at - 1; s >= 0; s--) {
        bool acted = false, signalled = false;
        for (int k = 0; k < b->stage[s].count; k++) {
            acted |= b->stage[s].from[k] == j || b->stage[s].to[k] == j;
            signalled |= b->stage[s].from[k] == j && b->stage[s].to[k] == i;
        }
        if (acted) return signalled && at - s > 1;
    }
    return false;
}

/* Eq. 5.4 and the recursion of §5.6.5: process i from this stage to the end. */
static double eq54(const machine *m, const barrier *b, int at, int i) {
    if (at == b->stages) return 0;
    const stage *s = &b->stage[at];
    double latency = 0, over = m->o[i][i], rest = eq54(m, b, at + 1, i);
    for (int k = 0; k < s->count; k++) {
        int j = s->to[k];
        if (s->from[k] != i) continue;
        latency += 2 * m->l[i][j];
        over = fmax(over, waits(b, at, i, j) ? m->o[j][j] : m->o[i][j]);
        rest = fmax(rest, eq54(m, b, at + 1, j));
    }
    return latency + over + rest;
}

static double longest_eq54(const machine *m, const char *name) {
    barrier b = barrier_of(name, m->p);
    double longest = 0;
    for (int i = 0; i < m->p; i++) longest = fmax(longest, eq54(m, &b, 0, i));
    return longest;
}

/* Fig. 6.2. */
static double map(const machine *m, int r, int at) {
    int p = m->p, stages = (int)ceil(log2(p) - 1e-9), shift = 1 << at;
    if (at == stages) return m->o[r][r];
    int to = (r + shift) % p, from = (r - shift + p) % p;
    double ints = at < stages - 1 ? shift * p : (p - (1 << (stages - 1))) * p;
    double overhead = fmax(m->o[r][r], m->o[to][r]), latency = 2 * m->l[r][to] + 2 * m->l[from][r];
    double head = 16 * m->b[r][to] + 16 * m->b[from][r];
    double data = 4 * ints * 4 * m->b[r][to] + 2 * ints * 4 * m->b[from][r];
    return overhead + latency + head + data + fmax(map(m, r, at + 1), map(m, to, at + 1));
}

/* Signals one after the other: the first of a sender takes `first`, the next `next` each. */
typedef struct signals {
    double first[MOST][MOST], next[MOST][MOST], wire[MOST][MOST], recv[MOST][MOST];
} signals;

static double in_turn(const signals *c, const char *name, int p) {
    barrier b = barrier_of(name, p);
    double t[MOST] = {0}, longest = 0;
    for (int s = 0; s < b.stages; s++) {
        double arrives[MOST][MOST];
        for (int i = 0; i < p; i++) {
            int sent = 0;
            for (int k = 0; k < b.stage[s].count; k++) {
                int j = b.stage[s].to[k];
                if (b.stage[s].from[k] != i) continue;
                t[i] += sent++ ? c->next[i][j] : c->first[i][j];
                arrives[i][j] = t[i] + c->wire[i][j];
            }
        }
        for (int i = 0; i < p; i++) /* who receives from several takes them by rank */
            for (int k = 0; k < b.stage[s].count; k++) {
                int j = b.stage[s].to[k];
                if (b.stage[s].from[k] == i) t[j] = fmax(t[j], arrives[i][j]) + c->recv[i][j];
            }
    }
    for (int i = 0; i < p; i++) longest = fmax(longest, t[i]);
    return longest;
}

static const char *barrier_name(const superstep *s) { return !strcmp(s->sync, "bsp") ? "dissemination" : s->sync; }

/* bsp_sync with gets has two. */
static double times(const superstep *s) { return !strcmp(s->sync, "bsp") && s->get && s->edges ? 2 : 1; }

/* ---- the models ---- */

typedef struct averages {
    double o, l, b, self;
} averages;

static averages averages_of(const machine *m) {
    averages a = {0};
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++)
            if (i == j)
                a.self += m->o[i][i] / m->p;
            else
                a.o += m->o[i][j], a.l += m->l[i][j], a.b += m->b[i][j];
    double n = m->p * (m->p - 1.0);
    return (averages){a.o / n, a.l / n, a.b / n, a.self};
}

/* One time for every signal. */
static signals equal_signals(double first, double next, double wire, double recv) {
    signals c;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++) {
            c.first[i][j] = first;
            c.next[i][j] = next;
            c.wire[i][j] = wire;
            c.recv[i][j] = recv;
        }
    return c;
}

/* (comp − comp') + (comm − comm') + max(comp', comm'), the greatest of all processes; share: of comm that overlaps. */
static double before(const machine *m, const superstep *s, const double *comm) {
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        double comp_over = s->share * s->seconds[i], comm_over = s->overlap * comm[i];
        most = fmax(most, s->seconds[i] - comp_over + comm[i] - comm_over + fmax(comp_over, comm_over));
    }
    return most;
}

static double hockney(const machine *m, const superstep *s) {
    averages a = averages_of(m);
    double comm[MOST] = {0};
    for (int e = 0; e < s->edges; e++) comm[s->from[e]] += s->messages[e] * a.l + s->bytes[e] * a.b;
    signals c = equal_signals(a.l, a.l, 0, 0);
    return before(m, s, comm) + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

static double loggp(const machine *m, const superstep *s) {
    averages a = averages_of(m);
    double o = a.self, g = fmax(a.o, o), l = fmax(0, a.l - 2 * o), comm[MOST];
    for (int i = 0; i < m->p; i++) {
        double k[2] = {0}, moving[2] = {0}; /* sends, receives */
        for (int e = 0; e < s->edges; e++)
            for (int in = 0; in < 2; in++) {
                if ((in ? s->to[e] : s->from[e]) != i) continue;
                k[in] += s->messages[e];
                moving[in] += (s->bytes[e] - s->messages[e]) * a.b;
            }
        comm[i] = 0;
        for (int in = 0; in < 2; in++)
            if (k[in] > 0) comm[i] = fmax(comm[i], o + (k[in] - 1) * g + moving[in] + l + o);
    }
    signals c = equal_signals(o, g, l, o);
    /* a process that only receives has nothing that it could send while it computes */
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        bool sends = false;
        for (int e = 0; e < s->edges; e++) sends |= s->from[e] == i;
        double comp_over = s->share * s->seconds[i], comm_over = sends ? s->overlap * comm[i] : 0;
        most = fmax(most, s->seconds[i] - comp_over + comm[i] - comm_over + fmax(comp_over, comm_over));
    }
    return most + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

static double message(const channel *c, bool network, double bytes) {
    int k = bytes > channel_bytes[1];
    double slope = (c->seconds[k + 1] - c->seconds[k]) / (channel_bytes[k + 1] - channel_bytes[k]);
    double transfer = c->seconds[k] + slope * (bytes - channel_bytes[k]);
    bool once = network || c->mechanism == 1 || (c->mechanism == 2 && bytes >= THRESHOLD);
    return c->fixed + c->per_byte * bytes + (once ? 1 : 2) * transfer;
}

static double lognp(const machine *m, const superstep *s) {
    double comm[MOST] = {0};
    signals c = equal_signals(0, 0, 0, 0);
    for (int e = 0; e < s->edges; e++) {
        bool far = host_of(m, s->from[e]) != host_of(m, s->to[e]);
        comm[s->from[e]] += s->messages[e] * message(&m->channels[far], far, s->bytes[e] / s->messages[e]);
    }
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++)
            c.first[i][j] = c.next[i][j] =
                message(&m->channels[host_of(m, i) != host_of(m, j)], host_of(m, i) != host_of(m, j), 0);
    return before(m, s, comm) + (strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0);
}

/* max w + h·g + l, h in words of 8 bytes. */
static double bsp(const machine *m, const superstep *s) {
    double w = 0, h = 0;
    for (int i = 0; i < m->p; i++) {
        double out = 0, in = 0;
        w = fmax(w, s->seconds[i]);
        for (int e = 0; e < s->edges; e++) {
            if (s->from[e] == i) out += s->bytes[e];
            if (s->to[e] == i) in += s->bytes[e];
        }
        h = fmax(h, fmax(in, out) / 8);
    }
    return w + h * m->g + (strcmp(s->sync, "none") ? m->sync : 0);
}

static double meyer(const machine *m, const superstep *s) {
    double comm[MOST] = {0}, sync = 0;
    for (int i = 0; i < m->p; i++) {
        double most = 0, over = 0;
        for (int e = 0; e < s->edges; e++) {
            int j = s->to[e];
            if (s->from[e] != i) continue;
            most = fmax(most, 2 * m->l[i][j] + 16 * m->b[i][j] / 2 + s->bytes[e] * m->b[i][j] / 2);
            over = fmax(over, s->messages[e] * m->o[i][j]);
        }
        comm[i] = most + over;
    }
    if (!strcmp(s->sync, "bsp")) {
        for (int i = 0; i < m->p; i++) sync = fmax(sync, map(m, i, 0));
        sync += longest_eq54(m, "tree");
    } else if (strcmp(s->sync, "none") != 0) {
        sync = longest_eq54(m, s->sync);
    }
    return before(m, s, comm) + sync;
}

/* A packet of 72 bytes to everybody; who gets waits for one latency more. */
static double direct(const machine *m, bool get) {
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        double busy = 0, far = 0;
        for (int j = 0; j < m->p; j++) {
            if (j == i) continue;
            busy += m->o[i][j];
            far = fmax(far, m->l[i][j] + 72 * m->b[i][j]);
        }
        most = fmax(most, busy + far + (get ? m->l[i][i ? 0 : m->p - 1] : 0));
    }
    return most;
}

static double pair_sync(const machine *m, const superstep *s) {
    signals c;
    for (int i = 0; i < m->p; i++)
        for (int j = 0; j < m->p; j++) {
            c.first[i][j] = c.next[i][j] = c.recv[i][j] = m->o[i][j] / 2;
            c.wire[i][j] = m->l[i][j];
        }
    if (!m->shared && !strcmp(s->sync, "bsp")) return direct(m, s->get && s->edges);
    return strcmp(s->sync, "none") ? times(s) * in_turn(&c, barrier_name(s), m->p) : 0;
}

static double pair(const machine *m, const superstep *s) {
    double comm[MOST] = {0};
    for (int e = 0; e < s->edges; e++) {
        int i = s->from[e], j = s->to[e];
        comm[i] += s->messages[e] * (m->o[i][j] + m->l[i][j]) + s->bytes[e] * m->b[i][j];
    }
    return before(m, s, comm) + pair_sync(m, s);
}

/* ---- transfers that share a channel ---- */

/* An edge's messages, tau of its kind at once: what no bytes make is o(0), and the what-ifs have their parts. */
static double shared_edge(const machine *m, const superstep *s, int e, double tau) {
    int i = s->from[e], j = s->to[e];
    bool far = host_of(m, i) != host_of(m, j);
    const channel *c = &m->channels[far], *near = &m->channels[0];
    double bytes = s->bytes[e] / s->messages[e];
    double moving =
        c->per_byte * bytes +
        (message(c, far, bytes) - message(&(channel){.fixed = c->fixed, .per_byte = c->per_byte}, far, bytes)) *
            (1 + (tau - 1) * c->crowd);
    if (far && c->mechanism == 3) {
        double own = message(near, true, bytes) - near->fixed - near->per_byte * bytes;
        moving += 2 * own * (1 + (tau - 1) * near->crowd);
    }
    return s->messages[e] * (c->fixed * m->factor[0][i][j] + moving * m->factor[1][i][j]);
}

/* What the edges of a process take, on one channel, one way, tau at once. */
static double side(const machine *m, const superstep *s, int rank, int in, bool far, double tau) {
    double sum = 0;
    for (int e = 0; e < s->edges; e++)
        if ((in ? s->to[e] : s->from[e]) == rank && far == (host_of(m, s->from[e]) != host_of(m, s->to[e])))
            sum += shared_edge(m, s, e, tau);
    return sum;
}

/* How many share the channel of a process on average: transmissions are their senders', or their receivers'. */
static double sharing(const machine *m, const superstep *s, int rank, bool far) {
    double most[2] = {0}, sum[2] = {0}, own = 0, tau = 0;
    for (int q = 0; q < m->p; q++)
        for (int in = 0; in < 2 && host_of(m, q) == host_of(m, rank); in++) {
            most[in] = fmax(most[in], side(m, s, q, in, far, 1));
            sum[in] += side(m, s, q, in, far, 1);
        }
    int by = (far ? sum[1] > 1.000001 * sum[0] : most[1] > 1.000001 * most[0]);
    for (int in = 0; in < 2; in++) own = fmax(own, side(m, s, rank, in, far, 1));
    for (int q = 0; q < m->p && own > 0; q++)
        if (host_of(m, q) == host_of(m, rank)) tau += fmin(1, side(m, s, q, by, far, 1) / own);
    return fmax(1, tau);
}

static double taulop(const machine *m, const superstep *s) {
    double most = 0;
    for (int i = 0; i < m->p; i++) {
        double way[2] = {0};
        for (int far = 0; far < 2; far++)
            for (int in = 0; in < 2; in++) way[in] += side(m, s, i, in, far, sharing(m, s, i, far));
        double comm = fmax(way[0], way[1]), comm_over = s->overlap * way[0], comp_over = s->share * s->seconds[i];
        most = fmax(most, s->seconds[i] - comp_over + comm - comm_over + fmax(comp_over, comm_over));
    }
    return most + pair_sync(m, s);
}

/* ---- both ---- */

static const struct {
    const char *name;
    double (*time)(const machine *m, const superstep *s);
} models[] = {{"hockney", hockney}, {"pair", pair}, {"taulop", taulop}, {"loggp", loggp},
              {"lognp", lognp},     {"bsp", bsp},   {"meyer", meyer}};
enum { MODELS = sizeof models / sizeof *models };

static double predicted(const char *model, const machine *m, const char *profile_text, const char *program_text) {
    sup_diag diag = {0};
    sup_json *doc = NULL;
    sup_profile *profile = NULL;
    sup_platform *platform = NULL;
    sup_program *program = NULL;
    sup_program_cost cost;
    sup_platform_options o = {.what_if = m->what_if[0] ? m->what_if : NULL};
    if (sup_json_parse("machine", profile_text, strlen(profile_text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_profile_parse(doc, true, &diag, &profile)) fail_msg("%s\n%s", diag.text, profile_text);
    sup_json_free(doc);
    if (sup_platform_open(profile, &o, &diag, &platform)) fail_msg("%s", diag.text);
    if (sup_json_parse("program", program_text, strlen(program_text), &diag, &doc)) fail_msg("%s", diag.text);
    if (sup_program_parse(doc, "program", &diag, &program)) fail_msg("%s\n%s", diag.text, program_text);
    sup_json_free(doc);
    if (sup_program_fit(program, m->p, &diag)) fail_msg("%s", diag.text);
    if (sup_model_program(sup_model_find(model), platform, program, &diag, &cost)) fail_msg("%s: %s", model, diag.text);
    double total = cost.total.value;
    sup_program_cost_free(&cost);
    sup_program_free(program);
    sup_platform_free(platform);
    sup_profile_free(profile);
    return total;
}

static void second_computation(void **state) {
    (void)state;
    static char with[TEXT], without[TEXT], program[TEXT];
    sup_random r = {20261118};
    for (int n = 0; n < MACHINES; n++) {
        machine m = random_machine(&r);
        text classic = {with, 0}, plain = {without, 0}, step = {program, 0};
        put_machine(&classic, &m, true);
        put_machine(&plain, &m, false);
        if (n % 3 == 0) random_what_if(&r, &m);
        superstep s = random_superstep(&r, &m);
        put_superstep(&step, &s, m.p);
        for (int k = 0; k < MODELS; k++) {
            bool pairs = !strcmp(models[k].name, "pair") || !strcmp(models[k].name, "taulop");
            if (pairs && !m.shared && m.p > 6 && !strcmp(s.sync, "bsp")) continue; /* not by direct counts */
            double mine = models[k].time(&m, &s);
            double theirs = predicted(models[k].name, &m, strcmp(models[k].name, "bsp") ? without : with, program);
            if (!(fabs(mine - theirs) <= (strcmp(models[k].name, "taulop") ? 1e-9 : 1e-6) * mine))
                fail_msg("machine %d, %s: %.12g here, %.12g there\n%s\n%s\n%s", n, models[k].name, mine, theirs,
                         m.what_if, without, program);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_computation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Flows that share channels (taulop/flows.h). Tcomm, model stage. */
#include "model/taulop/flows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 64 /* classes of single sizes */
#define FINE 1024.0

typedef struct entry {
    double end;
    double count;
    void *what;
} entry;

typedef struct heap {
    entry *at;
    size_t used, room;
} heap;

/* Flows of one size. */
typedef struct class {
    int kind;
    double bytes;
    int octave;                           /* of those beyond the first sizes; -1: one size */
    double progress, takes, rate, of_tau; /* rate: 1/takes */
    heap flows;
} class;

typedef struct resource {
    int kind, channel; /* SUP_EXPR_FOLD, or any of a channel */
    double tau;
    class *classes;
    size_t classes_count, classes_room;
    size_t *busy; /* [classes_room], indices of classes that have flows */
    size_t busy_count;
} resource;

struct sup_flows {
    const sup_taulop_costs *costs;
    double now;
    size_t under_way;
    heap waits;
    resource *resources;
    size_t resources_count;
    void **done;
    size_t done_count, done_room;
};

/* ---- heaps ---- */

static bool push(heap *h, const entry *e) {
    if (h->used == h->room) {
        size_t room = h->room ? 2 * h->room : 8;
        entry *more = realloc(h->at, room * sizeof *more);
        if (!more) return false;
        h->at = more;
        h->room = room;
    }
    size_t i = h->used++;
    for (; i && e->end < h->at[(i - 1) / 2].end; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = *e;
    return true;
}

static entry pop(heap *h) {
    entry top = h->at[0], last = h->at[--h->used];
    size_t i = 0;
    for (size_t k = 1; k < h->used; k = 2 * i + 1) {
        if (k + 1 < h->used && h->at[k + 1].end < h->at[k].end) k++;
        if (h->at[k].end >= last.end) break;
        h->at[i] = h->at[k];
        i = k;
    }
    h->at[i] = last;
    return top;
}

/* ---- making ---- */

sup_flows *sup_flows_new(const sup_taulop_costs *costs) {
    sup_flows *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->costs = costs;
    f->resources = calloc(costs->channels_count + 1, sizeof *f->resources);
    if (!f->resources) {
        free(f);
        return NULL;
    }
    f->resources_count = costs->channels_count + 1;
    f->resources[0].kind = SUP_EXPR_FOLD;
    for (size_t i = 0; i < costs->channels_count; i++)
        f->resources[i + 1] = (resource){.kind = SUP_EXPR_SEND, .channel = costs->channels[i].number};
    return f;
}

void sup_flows_free(sup_flows *f) {
    if (!f) return;
    for (size_t i = 0; i < f->resources_count; i++) {
        for (size_t k = 0; k < f->resources[i].classes_count; k++) free(f->resources[i].classes[k].flows.at);
        free(f->resources[i].classes);
        free(f->resources[i].busy);
    }
    free(f->resources);
    free(f->waits.at);
    free(f->done);
    free(f);
}

double sup_flows_now(const sup_flows *f) { return f->now; }
size_t sup_flows_under_way(const sup_flows *f) { return f->under_way; }
void sup_flows_pass(sup_flows *f, double seconds) { f->now += seconds; }

double sup_flows_duration(const sup_taulop_costs *costs, int kind, int channel, double bytes, double tau) {
    if (kind == SUP_EXPR_FOLD) return costs->fold(costs, bytes, tau);
    const sup_taulop_channel *c = sup_taulop_channel_of(costs, channel);
    return kind == SUP_EXPR_SEND ? sup_taulop_moving(c, bytes, tau) : c->transfer(c, bytes, tau);
}

/* ---- starting ---- */

static resource *resource_of(sup_flows *f, int kind, int channel) {
    if (kind == SUP_EXPR_FOLD) return &f->resources[0];
    size_t i = 1;
    while (f->resources[i].channel != channel) i++; /* it is there: the expression was checked */
    return &f->resources[i];
}

static class *class_of(resource *r, int kind, double bytes) {
    size_t single = 0;
    int octave = (int)floor(2 * log2(fmax(1, bytes)));
    for (size_t k = 0; k < r->classes_count; k++) {
        class *c = &r->classes[k];
        if (c->octave < 0 && c->kind == kind && c->bytes == bytes) return c;
        single += c->octave < 0;
    }
    if (single < EXACT) octave = -1;
    for (size_t k = 0; octave >= 0 && k < r->classes_count; k++)
        if (r->classes[k].octave == octave && r->classes[k].kind == kind) return &r->classes[k];
    if (r->classes_count == r->classes_room) {
        size_t room = r->classes_room ? 2 * r->classes_room : 4;
        class *more = realloc(r->classes, room * sizeof *more);
        if (!more) return NULL;
        r->classes = more;
        size_t *busy = realloc(r->busy, room * sizeof *busy);
        if (!busy) return NULL;
        r->busy = busy;
        r->classes_room = room;
    }
    r->classes[r->classes_count] = (class){.kind = kind, .bytes = bytes, .octave = octave};
    return &r->classes[r->classes_count++];
}

sup_status sup_flows_start(sup_flows *f, int kind, int channel, double bytes, double count, double times, void *what) {
    resource *r = resource_of(f, kind, channel);
    class *c = class_of(r, kind, bytes);
    if (!c) return SUP_ENOMEM;
    double share = times;
    r->tau += count;
    if (c->bytes != bytes) { /* by half octaves: how long it takes beside the one that stands for them */
        double like = sup_flows_duration(f->costs, kind, channel, c->bytes, r->tau);
        if (like > 0) share *= sup_flows_duration(f->costs, kind, channel, bytes, r->tau) / like;
    }
    if (!push(&c->flows, &(entry){c->progress + share, count, what})) return SUP_ENOMEM;
    if (c->flows.used == 1) r->busy[r->busy_count++] = (size_t)(c - r->classes);
    f->under_way++;
    return SUP_OK;
}

sup_status sup_flows_wait(sup_flows *f, double seconds, void *what) {
    if (!push(&f->waits, &(entry){f->now + seconds, 0, what})) return SUP_ENOMEM;
    f->under_way++;
    return SUP_OK;
}

/* ---- events ---- */

static bool keep(sup_flows *f, void *what) {
    if (f->done_count == f->done_room) {
        size_t room = f->done_room ? 2 * f->done_room : 64;
        void **more = realloc(f->done, room * sizeof *more);
        if (!more) return false;
        f->done = more;
        f->done_room = room;
    }
    f->done[f->done_count++] = what;
    f->under_way--;
    return true;
}

/* Seconds until the first of a class ends, as things are now. */
static double until(const sup_flows *f, const resource *r, class *c) {
    double change = fabs(c->of_tau - r->tau);
    if (change > 0 && (r->tau < FINE || change > r->tau / FINE)) {
        c->takes = sup_flows_duration(f->costs, c->kind, r->channel, c->bytes, r->tau);
        c->rate = c->takes > 0 ? 1 / c->takes : INFINITY; /* what takes no time is done at once */
        c->of_tau = r->tau;
    }
    double left = c->flows.at[0].end - c->progress;
    return left > 0 ? left * c->takes : 0;
}

/* Brings a class to the end of its first flow, or (seconds) so far; *ended: how many flows have come to their ends. */
static bool pass_class(sup_flows *f, class *c, bool first, double seconds, double *ended) {
    if (first || c->rate == INFINITY)
        c->progress = fmax(c->progress, c->flows.at[0].end); /* exactly */
    else
        c->progress += seconds * c->rate;
    double near = c->progress + 1e-12 * (1 + c->progress);
    while (c->flows.used && c->flows.at[0].end <= near) {
        entry e = pop(&c->flows);
        *ended += e.count;
        if (!keep(f, e.what)) return false;
    }
    if (!c->flows.used) c->progress = 0;
    return true;
}

static bool pass(sup_flows *f, double seconds, const class *first) {
    for (size_t i = 0; i < f->resources_count; i++) {
        resource *r = &f->resources[i];
        double ended = 0;
        for (size_t k = r->busy_count; k-- > 0;) { /* backwards: the last one takes the place of who has nothing left */
            class *c = &r->classes[r->busy[k]];
            if (!pass_class(f, c, c == first, seconds, &ended)) return false;
            if (!c->flows.used) r->busy[k] = r->busy[--r->busy_count];
        }
        r->tau = r->busy_count ? r->tau - ended : 0;
    }
    return true;
}

sup_status sup_flows_next(sup_flows *f, void ***done, size_t *count) {
    double soonest = f->waits.used ? f->waits.at[0].end - f->now : INFINITY;
    const class *first = NULL;
    for (size_t i = 0; i < f->resources_count; i++)
        for (size_t k = 0; k < f->resources[i].busy_count; k++) {
            class *c = &f->resources[i].classes[f->resources[i].busy[k]];
            double seconds = until(f, &f->resources[i], c);
            if (!(seconds >= soonest)) { /* also where it is no number, which the whole will not be either */
                soonest = seconds;
                first = c;
            }
        }
    f->done_count = 0;
    *done = f->done;
    *count = 0;
    double before = f->now;
    if (!isfinite(soonest)) {
        f->now = INFINITY;
        return SUP_OK;
    }
    f->now = first || !f->waits.used ? before + soonest : fmax(before, f->waits.at[0].end);
    if (!pass(f, f->now - before, first)) return SUP_ENOMEM;
    while (f->waits.used && f->waits.at[0].end <= f->now)
        if (!keep(f, pop(&f->waits).what)) return SUP_ENOMEM;
    *done = f->done;
    *count = f->done_count;
    return SUP_OK;
}

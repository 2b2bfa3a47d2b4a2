/* bench/plan: programs under the plan that `superstep choose` makes for this machine, beside the same without a plan.
 * A plan must not make anything slower: the floor is 1.03 for every program and transport. It is made here, from a
 * profile of a few seconds, which is less than a user would take: worse plans than theirs are tried.
 *
 * A program says itself what its median iteration took; runs with and without the plan take turns, a launch each. */
#include "groups.h"
#include "harness.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 3 };

typedef struct program {
    const char *name, *label;
    const char *arguments[ARGUMENTS];
} program;

static const program programs[] = {
    {"inprod", "inner product of 1000", {"1000", "20000"}},
    {"inprod", "inner product of 100000", {"100000", "2000"}},
    {"jacobi", "jacobi 200", {"200", "2000"}},
    {"sort", "sort of 20000", {"20000", "200"}},
    {"exchange", "ring of 8 bytes", {"ring", "8", "20000"}},
    {"exchange", "all to all of 1 KiB", {"all", "1024", "20000"}},
};

typedef struct side {
    const program *program;
    const char *net, *processes, *plan;
} side;

/* Runs a command without its errors; its first line. */
static bool run(const char *command, char *line, size_t room) {
    FILE *f = popen(command, "r");
    if (!f) return false;
    line[0] = 0;
    bool any = fgets(line, (int)room, f) != NULL;
    for (char rest[256]; fgets(rest, sizeof rest, f);) continue;
    return pclose(f) == 0 && any;
}

/* "…: 0.517 us a superstep" */
static bool batch(void *context, long reps, double *seconds, bool *disturbed) {
    const side *s = context;
    const char *const *a = s->program->arguments;
    char command[3 * PATH_MAX], line[256];
    snprintf(command, sizeof command, "'%s' run --net %s -n %s --plan '%s' '" BENCH_APPS "/%s' %s %s %s 2>/dev/null",
             BENCH_SUPERSTEP, s->net, s->processes, s->plan, s->program->name, a[0], a[1], a[2] ? a[2] : "");
    *seconds = 0;
    *disturbed = false; /* the processes are not this one's to ask */
    for (long r = 0; r < reps; r++) {
        if (!run(command, line, sizeof line)) return false;
        const char *colon = strrchr(line, ':');
        double us = colon ? strtod(colon + 1, NULL) : 0;
        if (us <= 0) return false;
        *seconds += us * 1e-6;
    }
    return true;
}

static void race(bench *b, const char *net, const char *processes, const char *plan) {
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        char name[96];
        side with = {&programs[i], net, processes, plan}, without = {&programs[i], net, processes, "none"};
        bench_contender c[] = {{.name = "plan", .batch = batch, .context = &with, .max_reps = 1},
                               {.name = "none", .batch = batch, .context = &without, .max_reps = 1}};
        if (plan) bench_race(b, c, 2);
        snprintf(name, sizeof name, "%s, %s, %s processes", programs[i].label, net, processes);
        bench_row(b, name, plan ? bench_scaled(c[0].time_s, 1e6) : BENCH_FAILED, "us",
                  plan ? bench_scaled(c[1].time_s, 1e6) : BENCH_FAILED, "no plan", "<= 1.03");
    }
}

/* A profile, then its plan. */
static bool choose(const bench *b, const char *folder, const char *net, const char *processes, const char *plan) {
    char command[4 * PATH_MAX];
    snprintf(command, sizeof command,
             "'%s' measure --quiet --net %s -n %s --budget %s --out '%s/profile.json' --force >&2 && "
             "'%s' choose '%s/profile.json' --net %s --out '%s' >/dev/null",
             BENCH_SUPERSTEP, net, processes, b->quick ? "3s" : "15s", folder, BENCH_SUPERSTEP, folder, net, plan);
    return system(command) == 0;
}

static bool is_there(const char *net) {
    char command[2 * PATH_MAX];
    snprintf(command, sizeof command, "'%s' run --net %s --dry-run true >/dev/null 2>&1", BENCH_SUPERSTEP, net);
    return system(command) == 0;
}

int main(int argc, char **argv) {
    static const char *const nets[] = {"shm", "openmpi", "mpich"};
    bench b;
    int rc = bench_begin(&b, "plan", argc, argv);
    if (rc >= 0) return rc;
    char folder[] = "/tmp/bench-plan-XXXXXX", processes[16], command[64];
    if (!mkdtemp(folder)) return 1;
    snprintf(processes, sizeof processes, "%d", bench_cores() < 2 ? 2 : bench_cores());
    for (size_t i = 0; i < sizeof nets / sizeof nets[0]; i++) {
        char plan[64];
        if (!is_there(nets[i])) {
            fprintf(stderr, "no %s here\n", nets[i]);
            continue;
        }
        snprintf(plan, sizeof plan, "%s/plan-%s.json", folder, nets[i]);
        race(&b, nets[i], processes, choose(&b, folder, nets[i], processes, plan) ? plan : NULL);
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command)) fprintf(stderr, "%s stays\n", folder);
    return bench_end(&b);
}

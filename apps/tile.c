/* tile: runs one of the data-parallel kernels of CACHE ch. 5 as a program would, again and again, and prints what each
 * call was cut into and what its stages took (CACHE §5.4.3). With a plan it goes on where the last run stopped
 * learning.
 *
 *     tile [KERNEL [N [CALLS [PLAN]]]]          tile matmult 1000 30 plan.json
 */
#include "kernels/tile/cases.h"

#include <stdio.h>
#include <stdlib.h>

static void print_call(int number, const sup_tile_report *r) {
    printf("call %3d  %9.3f ms  %-10s", number, r->total_s * 1e3, sup_tile_strategy_name(r->strategy));
    printf("  parts of %zu x %zu x %zu", r->shape[0], r->shape[1], r->shape[2]);
    if (r->inner[0]) printf(" in steps of %zu x %zu x %zu", r->inner[0], r->inner[1], r->inner[2]);
    printf(", %lld tasks%s%s%s\n", (long long)r->tasks, r->explored ? ", tried something new" : "",
           r->note[0] ? ", " : "", r->note);
}

static void print_stages(const sup_tile_report *r) {
    const struct {
        const char *name;
        double seconds;
    } stage[] = {{"estimate", r->estimate_s}, {"decompose", r->decompose_s},
                 {"combine", r->combine_s},   {"schedule", r->schedule_s},
                 {"run", r->run_s},           {"reduce", r->reduce_s}};
    printf("stages of the last call:");
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++)
        printf(" %s %.3f %%", stage[i].name, 100 * stage[i].seconds / r->total_s);
    printf("\n");
}

int main(int argc, char **argv) {
    const sup_tile_case *k = sup_tile_case_find(argc > 1 ? argv[1] : "matmult");
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : k ? k->size : 0;
    int calls = argc > 3 ? atoi(argv[3]) : 10, rc = 1;
    if (!k || n < 1 || n > k->most || calls < 1) {
        fprintf(stderr, "usage: tile [KERNEL [N [CALLS [PLAN]]]]\nkernels:");
        for (size_t i = 0; sup_tile_cases[i]; i++) fprintf(stderr, " %s", sup_tile_cases[i]->name);
        fprintf(stderr, "\n");
        return 2;
    }
    sup_tile_options options = {.plan_file = argc > 4 ? argv[4] : NULL};
    sup_diag diag = {0};
    sup_tile *tile;
    sup_tile_work work;
    sup_tile_report report;
    if (sup_tile_open(&options, &diag, &tile)) {
        fprintf(stderr, "tile: %s\n", diag.text);
        return 1;
    }
    if (k->setup(&work, n)) {
        fprintf(stderr, "tile: no memory\n");
        goto close;
    }
    for (int i = 1; i <= calls; i++) {
        if (sup_tile_run(tile, &work.op, &diag, &report)) goto failed;
        print_call(i, &report);
    }
    print_stages(&report);
    if (options.plan_file && sup_tile_save(tile, &diag)) goto failed;
    rc = !k->verify(&work);
    if (rc) fprintf(stderr, "tile: %s gives wrong results\n", k->name);
    goto work;
failed:
    fprintf(stderr, "tile: %s\n", diag.text);
work:
    sup_tile_work_free(&work);
close:
    sup_tile_close(tile);
    return rc;
}

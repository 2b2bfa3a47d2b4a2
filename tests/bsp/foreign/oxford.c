/* As programs of the Oxford toolset are written: nothing but its headers, declarations first, results of functions that
 * have no prototype, operators with pointers to their own type, the names of the first drafts, main without a type. */
#include "bsp.h"
#include "bsp_level1.h"

void spmd_start();
char usage[] = "-n <elements of a process>";
int elements = 0;

void longest(res, left, right, nbytes) double *res, *left, *right;
int *nbytes;
{
    *res = *left > *right ? *left : *right;
    if (*nbytes != sizeof(double)) bsp_abort("{longest} %d bytes", *nbytes);
}

int sum_of(xs, n)
int *xs, n;
{
    int i, *local_sums, result = 0;
    for (i = 0; i < n; i++) result += xs[i];
    bsp_pushregister(&result, sizeof(int));
    bsp_sync();

    local_sums = calloc(bsp_nprocs(), sizeof(int));
    if (local_sums == NULL) bsp_abort("{sum_of} no memory for %d int", bsp_nprocs());
    for (i = 0; i < bsp_nprocs(); i++) bsp_hpget(i, &result, 0, &local_sums[i], sizeof(int));
    bsp_sync();

    result = 0;
    for (i = 0; i < bsp_nprocs(); i++) result += local_sums[i];
    bsp_popregister(&result);
    free(local_sums);
    return result;
}

/* Each process sends its odd numbers to everybody, tagged with their place. */
int count_odd(xs, n)
int *xs, n;
{
    int i, j, packets, nbytes, status, where, value, odd = 0, tag_size = sizeof(int);
    bsp_set_tag_size(&tag_size);
    bsp_sync();
    for (i = 0; i < n; i++)
        if (xs[i] % 2)
            for (j = 0; j < bsp_nprocs(); j++) {
                where = n * bsp_pid() + i;
                bsp_send(j, &where, &xs[i], sizeof(int));
            }
    bsp_sync();
    bsp_qsize(&packets, &nbytes);
    for (i = 0; i < packets; i++) {
        bsp_get_tag(&status, &where);
        bsp_move(&value, sizeof(int));
        if (status == sizeof(int) && value == where) odd++;
    }
    bsp_set_tag_size(&tag_size);
    return nbytes == packets * (int)sizeof(int) ? odd : -1;
}

void spmd_start() {
    int i, n, p, *xs, sum, odd;
    double seconds, most;

    bsp_begin(bsp_nprocs());
    p = bsp_nprocs();
    bsp_push_reg(&elements, sizeof(int));
    bsp_sync();
    bsp_bcast(0, &elements, &elements, sizeof(int));
    n = elements;
    xs = (int *)calloc(n, sizeof(int));
    for (i = 0; i < n; i++) xs[i] = n * bsp_pid() + i;
    sum = sum_of(xs, n);
    odd = count_odd(xs, n);
    seconds = bsp_dtime();
    bsp_fold(longest, &seconds, &most, sizeof(double));
    if (most < seconds || bsp_cputime() < 0) bsp_abort("{spmd_start} the clocks are wrong");
    if (sum != p * n * (p * n - 1) / 2 || odd != p * n / 2 || bsp_sumI(n) != p * n)
        bsp_abort("{spmd_start} sum %d, odd %d of %d", sum, odd, n);
    bsp_pop_reg(&elements);
    if (bsp_pid() == 0) printf("ok 1 - an Oxford program\n1..1\n");
    fflush(stdout);
    bsp_end();
}

main(argc, argv) int argc;
char *argv[];
{
    int i;
    bsp_init(spmd_start, argc, argv);
    for (i = 1; i < argc; i++)
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            sscanf(argv[++i], "%d", &elements);
        else
            bsp_abort("{%s}: unknown option \"%s\"\n\t%s\n", argv[0], argv[i], usage);
    spmd_start();
    exit(0);
}

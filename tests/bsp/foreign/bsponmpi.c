/* As programs for BSPonMPI are written: for any dialect of BSPlib, with the types of whichever it is; size_t and long
 * offsets; a variable argument list handed to the library. */
#include <bsp.h>

#if !defined BSPONMPI_BSP_H && !defined _H_MCBSP
typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;
#endif

static void complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    bsp_abort_va(format, args);
}

static int s_nprocs;

static void spmd_part(void) {
    bsp_begin(s_nprocs);
    bsp_pid_t p = bsp_nprocs(), s = bsp_pid();
    bsp_size_t tagsize = sizeof(bsp_pid_t), bytes = 0;
    bsp_nprocs_t messages = 0;
    long *table = calloc((size_t)p, sizeof *table);
    bsp_push_reg(table, (bsp_size_t)((size_t)p * sizeof *table));
    bsp_set_tagsize(&tagsize);
    bsp_sync();
    for (bsp_pid_t i = 0; i < p; i++) {
        long word = 100L * s + i;
        bsp_put(i, &word, table, (long int)s * (long int)sizeof word, sizeof word);
        bsp_send(i, &s, NULL, 0);
    }
    bsp_sync();
    bsp_qsize(&messages, &bytes);
    if (bytes != 0 || (bsp_pid_t)messages != p) complain("%d messages at %d", (int)messages, s);
    for (bsp_pid_t i = 0; i < p; i++) {
        bsp_size_t status;
        bsp_pid_t from = -1;
        bsp_get_tag(&status, &from);
        if (status != 0 || table[from] != 100L * from + s) complain("rank %d: %ld from %d", s, table[from], from);
        bsp_move(NULL, 0);
    }
    long backwards = -1;
    bsp_get(p - 1 - s, table, (long int)s * (long int)sizeof backwards, &backwards, sizeof backwards);
    bsp_set_tagsize(&tagsize);
    bsp_pop_reg(table);
    bsp_sync();
    if (backwards != 100L * s + (p - 1 - s)) complain("rank %d got %ld", s, backwards);
    if (s == 0) printf("ok 1 - a BSPonMPI program\n1..1\n");
    free(table);
    bsp_end();
}

int main(int argc, char *argv[]) {
    bsp_init(spmd_part, argc, argv);
    s_nprocs = bsp_nprocs();
    spmd_part();
    return EXIT_SUCCESS;
}

/* MPI_Init and MPI_Init_thread as programs call them: the next definition in line, which is the MPI's or that of a tool
 * that was loaded after us and wants to begin, too; then ours to begin. */
#include "pmpi/pmpi.h"

#include <dlfcn.h>

SUP_PMPI_VISIBLE int MPI_Init(int *argc, char ***argv) {
    int (*next)(int *, char ***) = (int (*)(int *, char ***))(uintptr_t)dlsym(RTLD_NEXT, "MPI_Init");
    sup_pmpi_join();
    int code = next ? next(argc, argv) : PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) sup_pmpi_begin();
    return code;
}

SUP_PMPI_VISIBLE int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int (*next)(int *, char ***, int, int *) =
        (int (*)(int *, char ***, int, int *))(uintptr_t)dlsym(RTLD_NEXT, "MPI_Init_thread");
    sup_pmpi_join();
    int code = next ? next(argc, argv, required, provided) : PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS) sup_pmpi_begin();
    return code;
}

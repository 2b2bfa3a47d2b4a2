/* MPI_Init and MPI_Init_thread as programs call them: the library's, then ours to begin. */
#include "pmpi/pmpi.h"

SUP_PMPI_VISIBLE int MPI_Init(int *argc, char ***argv) {
    int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) sup_pmpi_begin();
    return code;
}

SUP_PMPI_VISIBLE int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS) sup_pmpi_begin();
    return code;
}

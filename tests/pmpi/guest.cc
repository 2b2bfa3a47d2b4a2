/* The same program in C++. */
#define OMPI_SKIP_MPICXX 1 /* the bindings of MPI 2 are another library */
#include "guest.c"

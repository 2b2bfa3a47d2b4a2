/* Helpers that the programs of a course bring along. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <bsp.h>

#define SZDBL (sizeof(double))
#define SZLONG (sizeof(long))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

double *vecallocd(size_t n);
void vecfreed(double *pd);
/* A name that programs have of their own. */
void bsp_broadcast(double *x, long n, long root);

/* An MPI program that reduces the extremes of all built-in types by all operators and writes down the bits that it
 * gets: the caller compares them with those without the preloaded library. With two processes no order of them is free
 * but whose number comes first; of what is no number only that it is none is written down.
 *
 *     extremes FILE       process i writes FILE.i */
#include "collectives.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int world_rank, world_size;

typedef enum kind { INTEGER, REAL, COMPLEX, TRUTH, PLACES } kind;

#define ROW(type, kind, value) \
    { type, #type, kind, value }
static const struct {
    MPI_Datatype type;
    const char *name;
    kind kind;
    int value; /* PLACES: bytes of the value; negative: an integer */
} types_[] = {ROW(MPI_SIGNED_CHAR, INTEGER, 0),
              ROW(MPI_UNSIGNED_CHAR, INTEGER, 0),
              ROW(MPI_INT8_T, INTEGER, 0),
              ROW(MPI_UINT8_T, INTEGER, 0),
              ROW(MPI_SHORT, INTEGER, 0),
              ROW(MPI_UNSIGNED_SHORT, INTEGER, 0),
              ROW(MPI_INT16_T, INTEGER, 0),
              ROW(MPI_UINT16_T, INTEGER, 0),
              ROW(MPI_INT, INTEGER, 0),
              ROW(MPI_UNSIGNED, INTEGER, 0),
              ROW(MPI_INT32_T, INTEGER, 0),
              ROW(MPI_UINT32_T, INTEGER, 0),
              ROW(MPI_LONG, INTEGER, 0),
              ROW(MPI_UNSIGNED_LONG, INTEGER, 0),
              ROW(MPI_LONG_LONG, INTEGER, 0),
              ROW(MPI_UNSIGNED_LONG_LONG, INTEGER, 0),
              ROW(MPI_INT64_T, INTEGER, 0),
              ROW(MPI_UINT64_T, INTEGER, 0),
              ROW(MPI_AINT, INTEGER, 0),
              ROW(MPI_OFFSET, INTEGER, 0),
              ROW(MPI_COUNT, INTEGER, 0),
              ROW(MPI_CHAR, INTEGER, 0),
              ROW(MPI_BYTE, INTEGER, 0),
              ROW(MPI_WCHAR, INTEGER, 0),
              ROW(MPI_INTEGER, INTEGER, 0),
              ROW(MPI_INTEGER1, INTEGER, 0),
              ROW(MPI_INTEGER2, INTEGER, 0),
              ROW(MPI_INTEGER4, INTEGER, 0),
              ROW(MPI_INTEGER8, INTEGER, 0),
              ROW(MPI_CHARACTER, INTEGER, 0),
              ROW(MPI_LOGICAL, TRUTH, 0),
              ROW(MPI_C_BOOL, TRUTH, 0),
              ROW(MPI_CXX_BOOL, TRUTH, 0),
              ROW(MPI_FLOAT, REAL, 0),
              ROW(MPI_DOUBLE, REAL, 0),
              ROW(MPI_LONG_DOUBLE, REAL, 0),
              ROW(MPI_REAL, REAL, 0),
              ROW(MPI_REAL4, REAL, 0),
              ROW(MPI_REAL8, REAL, 0),
              ROW(MPI_DOUBLE_PRECISION, REAL, 0),
              ROW(MPI_C_FLOAT_COMPLEX, COMPLEX, 0),
              ROW(MPI_C_DOUBLE_COMPLEX, COMPLEX, 0),
              ROW(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, 0),
              ROW(MPI_CXX_FLOAT_COMPLEX, COMPLEX, 0),
              ROW(MPI_CXX_DOUBLE_COMPLEX, COMPLEX, 0),
              ROW(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, 0),
              ROW(MPI_COMPLEX, COMPLEX, 0),
              ROW(MPI_DOUBLE_COMPLEX, COMPLEX, 0),
              ROW(MPI_COMPLEX8, COMPLEX, 0),
              ROW(MPI_COMPLEX16, COMPLEX, 0),
              ROW(MPI_FLOAT_INT, PLACES, 4),
              ROW(MPI_DOUBLE_INT, PLACES, 8),
              ROW(MPI_LONG_INT, PLACES, -8),
              ROW(MPI_SHORT_INT, PLACES, -2),
              ROW(MPI_2INT, PLACES, -4),
              ROW(MPI_LONG_DOUBLE_INT, PLACES, 16),
              ROW(MPI_2INTEGER, PLACES, -4)};
#define OP(op) \
    { op, #op }
static const struct {
    MPI_Op op;
    const char *name;
} operators[] = {OP(MPI_SUM),  OP(MPI_PROD), OP(MPI_MIN), OP(MPI_MAX),  OP(MPI_BAND),   OP(MPI_BOR),
                 OP(MPI_BXOR), OP(MPI_LAND), OP(MPI_LOR), OP(MPI_LXOR), OP(MPI_MINLOC), OP(MPI_MAXLOC)};

enum { VALUES = 13, N = VALUES * VALUES, WIDEST = 32 };

/* ---- extremes ---- */

static void integer(int which, int bytes, unsigned char *to) {
    uint64_t top = (uint64_t)1 << (8 * bytes - 1);
    const uint64_t values[VALUES] = {0,       1,          2,       3,           ~(uint64_t)0,        top, top - 1,
                                     top + 1, top | 0x55, top / 2, top / 2 + 1, 0x5555555555555555u, 0xaa};
    memcpy(to, &values[which], (size_t)bytes);
}

static void real(int which, int bytes, unsigned char *to) {
    static const double values[VALUES] = {0.,        -0., 1.,  -1.,       1e-300, 1e300, INFINITY,
                                          -INFINITY, NAN, 0.1, 0x1p-1070, 1 / 3., 7e37};
    double d = values[which];
    float f = (float)d;
    long double l = which == 11 ? 1 / 3.L : (long double)d;
    memset(to, 0, (size_t)bytes);
    memcpy(to, bytes == 4 ? (void *)&f : bytes == 8 ? (void *)&d : (void *)&l, bytes == 16 ? 10 : (size_t)bytes);
}

/* Where the place is, behind such a value. */
static int place_of(int value) { return abs(value) < (int)sizeof(int) ? (int)sizeof(int) : abs(value); }

/* ordered: for the least and the most, where zeros of two signs and what is no number come out as it happens. So do
 * products of complex numbers that are not finite. */
static void element(kind k, int value, int which, int other, int size, bool ordered, unsigned char *to) {
    int32_t place = which + VALUES * other;
    bool is_real = k == REAL || (k == PLACES && value > 0);
    if (ordered && is_real && (which == 1 || which == 8)) which++;
    switch (k) {
    case INTEGER: integer(which, size, to); break;
    case TRUTH: integer(which & 1, size, to); break;
    case REAL: real(which, size, to); break;
    case COMPLEX:
        real(which % 4, size / 2, to);
        real(other % 4, size / 2, to + size / 2);
        break;
    case PLACES:
        if (value < 0)
            integer(which, -value, to);
        else
            real(which, value, to);
        memcpy(to + place_of(value), &place, sizeof place);
    }
}

/* ---- what came out ---- */

static void print_bytes(FILE *to, const unsigned char *at, int bytes) {
    for (int i = 0; i < bytes; i++) fprintf(to, "%02x", at[i]);
}

static void print_real(FILE *to, const unsigned char *at, int bytes) {
    float f = 0;
    double d = 0;
    long double l = 0;
    memcpy(&f, at, sizeof f);
    if (bytes >= 8) memcpy(&d, at, sizeof d);
    if (bytes == 16) memcpy(&l, at, sizeof l);
    if (bytes == 4 ? isnan(f) : bytes == 8 ? isnan(d) : isnan(l))
        fprintf(to, "nan");
    else
        print_bytes(to, at, bytes == 16 ? 10 : bytes);
}

static void print(FILE *to, kind k, int value, int size, const unsigned char *at) {
    fprintf(to, " ");
    switch (k) {
    case INTEGER:
    case TRUTH: print_bytes(to, at, size); break;
    case REAL: print_real(to, at, size); break;
    case COMPLEX:
        print_real(to, at, size / 2);
        print_real(to, at + size / 2, size / 2);
        break;
    case PLACES:
        if (value < 0)
            print_bytes(to, at, -value);
        else
            print_real(to, at, value);
        print_bytes(to, at + place_of(value), 4);
    }
}

/* ---- */

static unsigned char in[N * WIDEST * 2], out[N * WIDEST * 2];

static int reduce(int form, MPI_Datatype type, MPI_Op op) {
    memset(out, 0, sizeof out);
    switch (form) {
    case 0: return MPI_Allreduce(in, out, N, type, op, MPI_COMM_WORLD);
    case 1: return MPI_Reduce(in, out, N, type, op, 1 % world_size, MPI_COMM_WORLD);
    case 2: return MPI_Scan(in, out, N, type, op, MPI_COMM_WORLD);
    default: return MPI_Reduce_scatter_block(in, out, N / 2, type, op, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    static const char *const forms[] = {"all", "one", "scan", "blocks"};
    char name[4096];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(argc == 2);
    snprintf(name, sizeof name, "%s.%d", argv[1], world_rank);
    FILE *f = fopen(name, "w");
    CHECK(f);
    for (size_t t = 0; t < sizeof types_ / sizeof types_[0]; t++) {
        MPI_Aint low, extent;
        int size;
        if (types_[t].type == MPI_DATATYPE_NULL) continue;
        MPI_Type_size(types_[t].type, &size);
        MPI_Type_get_extent(types_[t].type, &low, &extent);
        CHECK(extent <= WIDEST && size <= WIDEST);
        for (size_t o = 0; o < sizeof operators / sizeof operators[0]; o++) {
            MPI_Op op = operators[o].op;
            bool logical = op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR;
            bool ordered = op == MPI_MIN || op == MPI_MAX || op == MPI_MINLOC || op == MPI_MAXLOC;
            if (logical && types_[t].kind == REAL) continue; /* MPICH 4.0 ends the program */
            memset(in, 0, sizeof in);
            for (int k = 0; k < N; k++)
                element(types_[t].kind, types_[t].value, world_rank ? k % VALUES : k / VALUES,
                        (k + world_rank) % VALUES, size, ordered, in + k * extent);
            for (int form = 0; form < 4; form++) {
                int code = reduce(form, types_[t].type, op), class = 0;
                if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
                fprintf(f, "%s %s %s %d:", types_[t].name, operators[o].name, forms[form], class);
                for (int k = 0; k < N && !class; k++) print(f, types_[t].kind, types_[t].value, size, out + k * extent);
                fprintf(f, "\n");
            }
        }
    }
    fclose(f);
    MPI_Finalize();
    return 0;
}

/* MPI's built-in datatypes and operators as folds know them. Fortran's are those of the C type that the MPI says is as
 * long; what may differ in more than length (LOGICAL, CHARACTER) is only moved, never folded here. */
#include "pmpi/pmpi.h"

#include <complex.h>
#include <stddef.h>
#include <string.h>
#include <wchar.h>

sup_pmpi_type sup_pmpi_types[SUP_PMPI_TYPES];
sup_pmpi_operator sup_pmpi_operators[SUP_PMPI_OPERATORS];
sup_pmpi_fold sup_pmpi_folds[SUP_TYPES][SUP_OPERATORS];

/* ---- what there is ---- */

/* How a type may be folded. */
typedef enum kind { NONE, SIGNED, UNSIGNED, FLOATING, COMPLEX, BOOLEAN, EXACTLY } kind;

typedef struct row {
    MPI_Datatype type;
    kind kind;
    int fold; /* of EXACTLY */
} row;

/* MPI_DATATYPE_NULL where an MPI lacks an optional one. */
#define ROWS_OF_C                                                                                                     \
    {MPI_CHAR, NONE, 0}, {MPI_SIGNED_CHAR, SIGNED, 0}, {MPI_UNSIGNED_CHAR, UNSIGNED, 0}, {MPI_BYTE, NONE, 0},         \
        {MPI_WCHAR, NONE, 0}, {MPI_SHORT, SIGNED, 0}, {MPI_UNSIGNED_SHORT, UNSIGNED, 0}, {MPI_INT, SIGNED, 0},        \
        {MPI_UNSIGNED, UNSIGNED, 0}, {MPI_LONG, SIGNED, 0}, {MPI_UNSIGNED_LONG, UNSIGNED, 0},                         \
        {MPI_LONG_LONG_INT, SIGNED, 0}, {MPI_UNSIGNED_LONG_LONG, UNSIGNED, 0}, {MPI_INT8_T, SIGNED, 0},               \
        {MPI_INT16_T, SIGNED, 0}, {MPI_INT32_T, SIGNED, 0}, {MPI_INT64_T, SIGNED, 0}, {MPI_UINT8_T, UNSIGNED, 0},     \
        {MPI_UINT16_T, UNSIGNED, 0}, {MPI_UINT32_T, UNSIGNED, 0}, {MPI_UINT64_T, UNSIGNED, 0}, {MPI_AINT, SIGNED, 0}, \
        {MPI_OFFSET, SIGNED, 0}, {MPI_COUNT, SIGNED, 0}, {MPI_FLOAT, FLOATING, 0}, {MPI_DOUBLE, FLOATING, 0},         \
        {MPI_LONG_DOUBLE, FLOATING, 0}, {MPI_C_FLOAT_COMPLEX, COMPLEX, 0}, {MPI_C_DOUBLE_COMPLEX, COMPLEX, 0},        \
        {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, 0}, {MPI_CXX_FLOAT_COMPLEX, COMPLEX, 0},                                 \
        {MPI_CXX_DOUBLE_COMPLEX, COMPLEX, 0}, {MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, 0}, {MPI_C_BOOL, BOOLEAN, 0},    \
        {MPI_CXX_BOOL, BOOLEAN, 0}, {MPI_FLOAT_INT, EXACTLY, SUP_TYPE_FLOAT_INT},                                     \
        {MPI_DOUBLE_INT, EXACTLY, SUP_TYPE_DOUBLE_INT}, {MPI_LONG_INT, EXACTLY, SUP_TYPE_LONG_INT},                   \
        {MPI_SHORT_INT, EXACTLY, SUP_TYPE_SHORT_INT}, {MPI_2INT, EXACTLY, SUP_TYPE_INT_INT}, {                        \
        MPI_LONG_DOUBLE_INT, EXACTLY, SUP_TYPE_LONG_DOUBLE_INT                                                        \
    }
/* Of Fortran, and of all languages: no logical operators. */
#define ROWS_OF_ALL                                                                                              \
    {MPI_AINT, SIGNED, 0}, {MPI_OFFSET, SIGNED, 0}, {MPI_COUNT, SIGNED, 0}, {MPI_CHARACTER, NONE, 0},            \
        {MPI_LOGICAL, NONE, 0}, {MPI_INTEGER, SIGNED, 0}, {MPI_INTEGER1, SIGNED, 0}, {MPI_INTEGER2, SIGNED, 0},  \
        {MPI_INTEGER4, SIGNED, 0}, {MPI_INTEGER8, SIGNED, 0}, {MPI_REAL, FLOATING, 0}, {MPI_REAL4, FLOATING, 0}, \
        {MPI_REAL8, FLOATING, 0}, {MPI_DOUBLE_PRECISION, FLOATING, 0}, {MPI_COMPLEX, COMPLEX, 0},                \
        {MPI_COMPLEX8, COMPLEX, 0}, {MPI_COMPLEX16, COMPLEX, 0}, {MPI_DOUBLE_COMPLEX, COMPLEX, 0},               \
        {MPI_2INTEGER, EXACTLY, SUP_TYPE_INT_INT}, {MPI_2REAL, NONE, 0}, {                                       \
        MPI_2DOUBLE_PRECISION, NONE, 0                                                                           \
    }

/* The fold type of such a kind and length; -1: there is none. */
static int fold_type(kind of, int size) {
    int log2 = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
    switch (of) {
    case SIGNED: return log2 < 0 ? -1 : SUP_TYPE_INT8 + log2;
    case UNSIGNED: return log2 < 0 ? -1 : SUP_TYPE_UINT8 + log2;
    case FLOATING:
        return size == (int)sizeof(float)         ? SUP_TYPE_FLOAT
               : size == (int)sizeof(double)      ? SUP_TYPE_DOUBLE
               : size == (int)sizeof(long double) ? SUP_TYPE_LONG_DOUBLE
                                                  : -1;
    case COMPLEX:
        return size == (int)sizeof(float complex)         ? SUP_TYPE_FLOAT_COMPLEX
               : size == (int)sizeof(double complex)      ? SUP_TYPE_DOUBLE_COMPLEX
               : size == (int)sizeof(long double complex) ? SUP_TYPE_LONG_DOUBLE_COMPLEX
                                                          : -1;
    case BOOLEAN: return size == (int)sizeof(bool) ? SUP_TYPE_BOOL : -1;
    default: return -1;
    }
}

/* ---- the tables ---- */

/* Integers with a sign or without, as the library's MPI_MAX has it: some of its own do not tell it from their names
 * (Open MPI 4: MPI_UNSIGNED_LONG has one, MPI_OFFSET has none). */
static kind sign_of(const row *r, int size) {
    unsigned char most[8], small[8];
    if ((r->kind != SIGNED && r->kind != UNSIGNED) || size > (int)sizeof most) return r->kind;
    memset(most, 0xff, sizeof most);
    memset(small, 0x01, sizeof small);
    if (PMPI_Reduce_local(most, small, 1, r->type, MPI_MAX) != MPI_SUCCESS) return r->kind;
    return small[0] == 0xff ? UNSIGNED : SIGNED;
}

/* logical: of a language in which integers are truth values. */
static void add_type(const row *r, bool logical) {
    MPI_Aint low, extent;
    int size;
    if (r->type == MPI_DATATYPE_NULL || sup_pmpi_type_of(r->type)) return;
    if (PMPI_Type_size(r->type, &size) != MPI_SUCCESS || size <= 0) return;
    if (PMPI_Type_get_extent(r->type, &low, &extent) != MPI_SUCCESS || low) return;
    unsigned i = sup_pmpi_place((uint64_t)(uintptr_t)r->type, SUP_PMPI_TYPES);
    while (sup_pmpi_types[i].size) i = (i + 1) & (SUP_PMPI_TYPES - 1);
    sup_pmpi_types[i] =
        (sup_pmpi_type){.handle = r->type,
                        .size = size,
                        .extent = (int32_t)extent,
                        .fold = (int16_t)(r->kind == EXACTLY ? r->fold : fold_type(sign_of(r, size), size)),
                        .logical = logical};
}

static void add_operator(MPI_Op op, int operator) {
    unsigned i = sup_pmpi_place((uint64_t)(uintptr_t)op, SUP_PMPI_OPERATORS);
    while (sup_pmpi_operators[i].number) i = (i + 1) & (SUP_PMPI_OPERATORS - 1);
    sup_pmpi_operators[i] = (sup_pmpi_operator){.handle = op, .number = operator+ 1 };
}

/* The least and the most of floating-point numbers are exact, but zeros of different signs and what is no number make
 * them depend on the order. */
static bool is_fixed(int type, int operator) {
    bool floating = (type >= SUP_TYPE_FLOAT && type <= SUP_TYPE_LONG_DOUBLE_COMPLEX) || type == SUP_TYPE_FLOAT_INT ||
                    type == SUP_TYPE_DOUBLE_INT || type == SUP_TYPE_LONG_DOUBLE_INT;
    return floating || sup_fold_rounds(type, operator);
}

/* What MPI gives is what we give. It is not where sums and products of short integers do not fit: there some libraries
 * saturate, and in the same call wrap around where their vectors end. Truth values have logical operators alone. */
static bool is_plain(int type, int operator) {
    bool is_short =
        type == SUP_TYPE_INT8 || type == SUP_TYPE_INT16 || type == SUP_TYPE_UINT8 || type == SUP_TYPE_UINT16;
    if (is_short && (operator== SUP_SUM || operator== SUP_PRODUCT)) return false;
    return type != SUP_TYPE_BOOL || (operator>= SUP_ALL && operator<= SUP_ODD);
}

/* Called once, when it is known that something may be replaced. Until then, and where that never comes, the tables are
 * empty ones, in which nothing is found. */
void sup_pmpi_types_begin(void) {
    static const struct {
        MPI_Op op;
        int operator;
    } operators[] = {{MPI_SUM, SUP_SUM},  {MPI_PROD, SUP_PRODUCT},     {MPI_MIN, SUP_MIN},
                     {MPI_MAX, SUP_MAX},  {MPI_BAND, SUP_AND},         {MPI_BOR, SUP_OR},
                     {MPI_BXOR, SUP_XOR}, {MPI_LAND, SUP_ALL},         {MPI_LOR, SUP_ANY},
                     {MPI_LXOR, SUP_ODD}, {MPI_MINLOC, SUP_MIN_PLACE}, {MPI_MAXLOC, SUP_MAX_PLACE}};
    static const row of_c[] = {ROWS_OF_C}, of_all[] = {ROWS_OF_ALL};
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        add_operator(operators[i].op, operators[i].operator);
    for (size_t i = 0; i < sizeof of_c / sizeof of_c[0]; i++) {
        kind k = of_c[i].kind;
        add_type(&of_c[i], k == SIGNED || k == UNSIGNED || k == BOOLEAN);
    }
    for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++) add_type(&of_all[i], false);
    for (int t = 0; t < SUP_TYPES; t++)
        for (int o = 0; o < SUP_OPERATORS; o++)
            if (is_plain(t, o)) sup_pmpi_folds[t][o] = (sup_pmpi_fold){sup_fold_find(t, o), is_fixed(t, o)};
    sup_pmpi_arguments_begin();
}

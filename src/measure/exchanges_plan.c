/* The table of exchanges that are measured (exchanges_plan.h). Tcomm and Tsync, stage "measure". */
#include "measure/exchanges_plan.h"

#define MANY_MOST ((size_t)2 << 20) /* bytes, where one process has many partners: they meet in one memory */
enum { CROWD = 8, MANY = 16 };

/* A size is one bit of a row. */
static const size_t sizes[] = {8, 64, 512, 4096, 16384, 32768, 65536, 131072, 262144, 1048576};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    ALL = 0x3ff,
    USUAL = ALL & ~(1 << 5 | 1 << 7),
    FEWER = USUAL & ~(1 << 4),
    FEW = FEWER & ~(1 << 1),
    SMALL = 7,
    LARGEST = 1 << SIZES /* and one that is as large as it may be */
};

static const struct row {
    int shape, move, records, sizes;
} rows[] = {
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, 1, ALL | LARGEST},
    {SUP_EXCHANGE_ONE, SUP_MOVE_PUT, 1, USUAL | LARGEST},
    {SUP_EXCHANGE_RING, SUP_MOVE_PUT, 1, USUAL | LARGEST},
    {SUP_EXCHANGE_ALL, SUP_MOVE_PUT, 1, USUAL | LARGEST},
    {SUP_EXCHANGE_SHIFT_FAR, SUP_MOVE_PUT, 1, USUAL},
    {SUP_EXCHANGE_ONE_FAR, SUP_MOVE_PUT, 1, USUAL},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, MANY, SMALL},
    {SUP_EXCHANGE_OUT, SUP_MOVE_PUT, 1, USUAL | LARGEST},
    {SUP_EXCHANGE_IN, SUP_MOVE_PUT, 1, USUAL | LARGEST},
    {SUP_EXCHANGE_SWAP, SUP_MOVE_PUT, 1, FEWER | LARGEST},
    {SUP_EXCHANGE_COUPLES, SUP_MOVE_PUT, 1, FEWER | LARGEST},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_HPPUT, 1, FEW},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_GET, 1, FEW},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_SEND, 1, FEW},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_HPGET, 1, FEW},
    {SUP_EXCHANGE_ONE, SUP_MOVE_HPPUT, 1, FEW},
    {SUP_EXCHANGE_ONE, SUP_MOVE_GET, 1, FEW},
    {SUP_EXCHANGE_ONE, SUP_MOVE_SEND, 1, FEW},
};

const int sup_step_other_shapes[] = {SUP_EXCHANGE_SHIFT, SUP_EXCHANGE_RING, SUP_EXCHANGE_ALL, -1};
const size_t sup_step_others[] = {16, 128, 700, 5000, 20000, 90000, 250000, 600000, 0};

size_t sup_exchange_most_bytes(int shape, int records, int processes) {
    int64_t out = sup_exchange_most_out(shape, processes), in = sup_exchange_most_in(shape, processes);
    int64_t partners = out > in ? out : in, messages = (partners > 0 ? partners : 1) * records;
    bool many = processes > CROWD && partners == processes - 1;
    return (many ? MANY_MOST : SUP_EXCHANGE_BYTES_MAX) / (size_t)messages;
}

static void add_sizes(const struct row *row, size_t most, sup_exchange_plan *out) {
    for (int i = 0; i < SIZES; i++)
        if (row->sizes & 1 << i && sizes[i] <= most) out->bytes[out->count++] = sizes[i];
    size_t last = out->count ? out->bytes[out->count - 1] : 0;
    most &= ~(size_t)7;
    if (row->sizes & LARGEST && most >= last + last / 2 && most > 0) out->bytes[out->count++] = most;
}

bool sup_exchange_plan_at(int number, int processes, bool far, sup_exchange_plan *out) {
    if (number < 0 || (size_t)number >= sizeof rows / sizeof *rows) return false;
    const struct row *row = &rows[number];
    const sup_exchange *x = sup_exchange_at(row->shape);
    *out = (sup_exchange_plan){.shape = row->shape, .move = row->move, .records = row->records};
    if (processes >= x->least && (far || !x->far))
        add_sizes(row, sup_exchange_most_bytes(row->shape, row->records, processes), out);
    return true;
}

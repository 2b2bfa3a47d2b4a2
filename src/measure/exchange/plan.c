/* The table of exchanges that are measured (exchange/plan.h). Tcomm and Tsync, stage "measure". */
#include "measure/exchange/plan.h"

#define MANY_MOST ((size_t)2 << 20) /* bytes, where one process has many partners: they meet in one memory */
enum { CROWD = 8, MANY = 16, SMALL_GROUP = 2 };

/* A size is one bit of a row. Those in pairs lie on both sides of where the runtime does something else. */
static const size_t sizes[] = {8,     64,    256,   504,   512,    2048,   4096,   16376,
                               16384, 32768, 65528, 65536, 131072, 262144, 524288, 1048576};
enum {
    SIZES = sizeof sizes / sizeof sizes[0],
    B8 = 1 << 0,
    B64 = 1 << 1,
    BELOW_512 = 1 << 3,
    B512 = 1 << 4,
    B4K = 1 << 6,
    BELOW_16K = 1 << 7,
    B16K = 1 << 8,
    B32K = 1 << 9,
    BELOW_64K = 1 << 10,
    B64K = 1 << 11,
    B128K = 1 << 12,
    B256K = 1 << 13,
    B1M = 1 << 15,
    EVERY = (1 << SIZES) - 1, /* of few processes, which have few exchanges */
    THIN = B8 | B512 | B16K | B256K,
    FEW = B8 | B512 | B4K | B64K | B256K | B1M,
    FEWER = FEW | B64,
    USUAL = FEWER | B16K,
    ALL = USUAL | B32K | B128K,
    SMALL = B8 | B64 | B512,
    LARGEST = 1 << SIZES /* and one that is as large as it may be */
};

/* usual: what predictions and choices read; deep: what is there besides. */
static const struct row {
    int shape, move, records, usual, deep;
} rows[] = {
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, 1, USUAL | LARGEST, ALL},
    {SUP_EXCHANGE_ONE, SUP_MOVE_PUT, 1, USUAL | LARGEST, 0},
    {SUP_EXCHANGE_RING, SUP_MOVE_PUT, 1, FEW, USUAL | LARGEST},
    {SUP_EXCHANGE_ALL, SUP_MOVE_PUT, 1, FEW | LARGEST, USUAL},
    {SUP_EXCHANGE_SHIFT_FAR, SUP_MOVE_PUT, 1, FEW, USUAL},
    {SUP_EXCHANGE_ONE_FAR, SUP_MOVE_PUT, 1, FEW, USUAL},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_PUT, MANY, SMALL, 0},
    {SUP_EXCHANGE_OUT, SUP_MOVE_PUT, 1, FEW | LARGEST, USUAL},
    {SUP_EXCHANGE_IN, SUP_MOVE_PUT, 1, FEW | LARGEST, USUAL},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_HPPUT, 1, FEW, 0},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_GET, 1, FEW, 0},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_SEND, 1, FEW, 0},
    {SUP_EXCHANGE_SHIFT, SUP_MOVE_HPGET, 1, THIN, FEW},
    {SUP_EXCHANGE_ONE, SUP_MOVE_HPPUT, 1, FEW, 0},
    {SUP_EXCHANGE_ONE, SUP_MOVE_GET, 1, FEW, 0},
    {SUP_EXCHANGE_ONE, SUP_MOVE_SEND, 1, THIN, FEW},
    {SUP_EXCHANGE_OUT, SUP_MOVE_HPPUT, 1, THIN, FEW},
    {SUP_EXCHANGE_IN, SUP_MOVE_HPPUT, 1, THIN, FEW},
    {SUP_EXCHANGE_OUT, SUP_MOVE_GET, 1, THIN, FEW},
    {SUP_EXCHANGE_IN, SUP_MOVE_GET, 1, THIN, FEW},
    {SUP_EXCHANGE_SWAP, SUP_MOVE_PUT, 1, 0, FEWER | LARGEST},
    {SUP_EXCHANGE_COUPLES, SUP_MOVE_PUT, 1, 0, FEWER | LARGEST},
};

/* Just below a threshold: of the calls where it is one. */
static int below_of(const struct row *row, const sup_exchange_who *who) {
    bool put = row->move == SUP_MOVE_PUT, straight = row->move == SUP_MOVE_HPPUT;
    if (row->shape != SUP_EXCHANGE_SHIFT || row->records > 1) return 0;
    if (who->shared) return straight ? BELOW_512 : 0;
    return straight ? B16K | BELOW_16K : put ? BELOW_64K : 0;
}

const int sup_step_other_shapes[] = {SUP_EXCHANGE_SHIFT, SUP_EXCHANGE_RING, SUP_EXCHANGE_ALL, -1};
const size_t sup_step_others[] = {16, 128, 700, 5000, 20000, 90000, 250000, 600000, 0};

size_t sup_exchange_most_bytes(int shape, int records, int processes) {
    int64_t out = sup_exchange_most_out(shape, processes), in = sup_exchange_most_in(shape, processes);
    int64_t partners = out > in ? out : in, messages = (partners > 0 ? partners : 1) * records;
    bool many = processes > CROWD && partners == processes - 1;
    return (many ? MANY_MOST : SUP_EXCHANGE_BYTES_MAX) / (size_t)messages;
}

static void add_sizes(const struct row *row, const sup_exchange_who *who, sup_exchange_plan *out) {
    size_t most = sup_exchange_most_bytes(row->shape, row->records, who->processes);
    int wanted = row->usual | below_of(row, who);
    if (who->deep) wanted |= row->deep;
    if (who->deep && who->processes <= SMALL_GROUP && row->usual != SMALL) wanted |= EVERY;
    for (int i = 0; i < SIZES; i++)
        if (wanted & 1 << i && sizes[i] <= most) out->bytes[out->count++] = sizes[i];
    size_t last = out->count ? out->bytes[out->count - 1] : 0;
    most &= ~(size_t)7;
    if (wanted & LARGEST && most >= last + last / 2 && most > 0) out->bytes[out->count++] = most;
}

bool sup_exchange_plan_at(int number, const sup_exchange_who *who, sup_exchange_plan *out) {
    if (number < 0 || (size_t)number >= sizeof rows / sizeof *rows) return false;
    const struct row *row = &rows[number];
    const sup_exchange *x = sup_exchange_at(row->shape);
    *out = (sup_exchange_plan){.shape = row->shape, .move = row->move, .records = row->records};
    if (who->processes >= x->least && (who->far || !x->far)) add_sizes(row, who, out);
    return true;
}

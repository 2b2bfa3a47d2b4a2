/* Programs that are over after a few supersteps, each of which runs once, behind milliseconds of computation and into
 * memory that nobody has touched: Tcomm and Tsync as most programs meet them, and no benchmark does.
 *
 *     once transpose SIDE    a matrix of doubles, rows dealt out: blocks by put, and what came out by unbuffered put
 *     once deal KEYS         keys by message to the process they belong to; the first process has twice as many
 *
 * Nothing warms up, nothing is repeated. What came is checked. */
#include <bsp.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *get_room(size_t count, size_t each) {
    void *room = calloc(count + 1, each);
    if (!room) bsp_abort("out of memory\n");
    return room;
}

/* ---- transpose ---- */

/* A few hundred operations an element would be a program's; some are enough. */
static double value_at(size_t row, size_t column) {
    double x = (double)(row * 31 + column * 17 % 1009);
    for (int i = 0; i < 8; i++) x = x * 0.5 + 1.0 / (1.0 + x);
    return x;
}

typedef struct matrix {
    size_t p, me, side, rows; /* rows of each process */
    double *mine, *out, *came, *result, *whole;
} matrix;

/* The block for process `to`, its columns as rows. */
static void pack(const matrix *m, size_t to) {
    double *block = m->out + to * m->rows * m->rows;
    for (size_t c = 0; c < m->rows; c++)
        for (size_t r = 0; r < m->rows; r++) block[c * m->rows + r] = m->mine[r * m->side + to * m->rows + c];
}

static void unpack(const matrix *m) {
    for (size_t from = 0; from < m->p; from++)
        for (size_t r = 0; r < m->rows; r++)
            memcpy(m->result + r * m->side + from * m->rows, m->came + (from * m->rows + r) * m->rows,
                   m->rows * sizeof(double));
}

static void check_matrix(const matrix *m) {
    for (size_t r = 0; r < m->side; r += 7)
        for (size_t c = 0; c < m->side; c += 5)
            if (m->whole[r * m->side + c] != value_at(c, r)) bsp_abort("row %zu, column %zu is wrong\n", r, c);
}

static void transpose(size_t side) {
    matrix m = {.p = (size_t)bsp_nprocs(), .me = (size_t)bsp_pid(), .side = side};
    if (side < m.p || side > 1 << 14) bsp_abort("sizes out of range\n");
    m.rows = side / m.p;
    m.side = m.rows * m.p;
    size_t all = m.rows * m.side, block = m.rows * m.rows * sizeof(double);
    m.mine = get_room(all, sizeof(double));
    m.out = get_room(all, sizeof(double));
    m.came = get_room(all, sizeof(double));
    m.result = get_room(all, sizeof(double));
    m.whole = get_room(m.me == 0 ? all * m.p : 1, sizeof(double));
    bsp_push_reg(m.came, all * sizeof(double));
    bsp_push_reg(m.whole, m.me == 0 ? all * m.p * sizeof(double) : 0);
    bsp_sync();
    for (size_t r = 0; r < m.rows; r++)
        for (size_t c = 0; c < m.side; c++) m.mine[r * m.side + c] = value_at(m.me * m.rows + r, c);
    for (size_t to = 0; to < m.p; to++) pack(&m, to);
    for (size_t to = 0; to < m.p; to++) bsp_put((int)to, m.out + to * m.rows * m.rows, m.came, m.me * block, block);
    bsp_sync();
    unpack(&m);
    bsp_hpput(0, m.result, m.whole, m.me * all * sizeof(double), all * sizeof(double));
    bsp_sync();
    if (m.me == 0) check_matrix(&m);
    free(m.whole);
    free(m.result);
    free(m.came);
    free(m.out);
    free(m.mine);
}

/* ---- deal ---- */

static uint32_t key_of(uint64_t index) {
    uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < 6; i++) z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (uint32_t)(z >> 32);
}

static size_t owner_of(uint32_t key, size_t p) { return (size_t)((uint64_t)key * p >> 32); }

/* How many there are for each process, to all; then the keys. */
static void deal(size_t keys) {
    size_t p = (size_t)bsp_nprocs(), me = (size_t)bsp_pid(), share = keys / (p + 1), n = me ? share : 2 * share;
    size_t first = me ? (me + 1) * share : 0;
    uint32_t *mine = get_room(n, sizeof *mine), *sorted = get_room(n, sizeof *sorted);
    size_t *count = get_room(p, sizeof *count), *begin = get_room(p + 1, sizeof *begin);
    uint64_t *counts = get_room(p, sizeof *counts), sum = 0, messages = 0;
    bsp_push_reg(counts, p * sizeof *counts);
    bsp_sync();
    for (size_t i = 0; i < n; i++) {
        mine[i] = key_of(first + i);
        count[owner_of(mine[i], p)]++;
    }
    for (size_t to = 0; to < p; to++) {
        uint64_t number = count[to];
        begin[to + 1] = begin[to] + count[to];
        bsp_put((int)to, &number, counts, me * sizeof number, sizeof number);
    }
    bsp_sync();
    for (size_t to = 0; to < p; to++) count[to] = begin[to];
    for (size_t i = 0; i < n; i++) sorted[count[owner_of(mine[i], p)]++] = mine[i];
    for (size_t to = 0; to < p; to++)
        bsp_send((int)to, NULL, sorted + begin[to], (begin[to + 1] - begin[to]) * sizeof *sorted);
    bsp_sync();
    bsp_qsize(&messages, NULL);
    for (; messages > 0; messages--) {
        void *tag = NULL, *data = NULL;
        size_t came = bsp_hpmove(&tag, &data) / sizeof(uint32_t);
        const uint32_t *key = data;
        for (size_t i = 0; i < came; i++) {
            if (owner_of(key[i], p) != me) bsp_abort("a key is not where it belongs\n");
            sum++;
        }
    }
    for (size_t from = 0; from < p; from++) sum -= counts[from];
    if (sum) bsp_abort("keys are lost\n");
    free(counts);
    free(begin);
    free(count);
    free(sorted);
    free(mine);
}

int main(int argc, char **argv) {
    bsp_begin(bsp_nprocs());
    if (argc < 3) bsp_abort("usage: once transpose SIDE | once deal KEYS\n");
    size_t size = strtoul(argv[2], NULL, 10);
    if (size < 1 || size > (size_t)1 << 30) bsp_abort("sizes out of range\n");
    if (!strcmp(argv[1], "transpose"))
        transpose(size);
    else if (!strcmp(argv[1], "deal"))
        deal(size);
    else
        bsp_abort("there is no program %s\n", argv[1]);
    if (bsp_pid() == 0) printf("once %s %zu, %d processes, right\n", argv[1], size, bsp_nprocs());
    bsp_end();
    return 0;
}

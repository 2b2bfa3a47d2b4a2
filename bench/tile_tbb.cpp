/* oneTBB as one would write it: parallel_for over a blocked_range2d (blocked_range for vectors) with its defaults, and
 * with the affinity partitioner. The loops are ours, on the range that oneTBB hands out. */
#include "tile_peers.h"

#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <map>

namespace {

void clip(size_t from, size_t to, size_t extent, size_t halo, size_t border, size_t &before, size_t &after) {
    size_t room_before = from + border, room_after = extent - to + border;
    before = halo < room_before ? halo : room_before;
    after = halo < room_after ? halo : room_after;
}

void cells(const sup_tile_work *w, size_t i0, size_t i1, size_t j0, size_t j1, int phase) {
    sup_tile_part part[SUP_TILE_SETS] = {};
    sup_tile_task task = {};
    task.part = part;
    task.first = task.last = true;
    task.phase = phase;
    for (int s = 0; s < w->op.set_count; s++) {
        const sup_tile_set &set = w->op.set[s];
        sup_tile_part &p = part[s];
        size_t r0 = 0, r1 = set.rows, c0 = 0, c1 = set.cols;
        if (set.row_axis == SUP_TILE_I) r0 = i0, r1 = i1;
        if (set.row_axis == SUP_TILE_J) r0 = j0, r1 = j1;
        if (set.col_axis == SUP_TILE_I) c0 = i0, c1 = i1;
        if (set.col_axis == SUP_TILE_J) c0 = j0, c1 = j1;
        p.rows = r1 - r0, p.cols = c1 - c0, p.pitch = set.pitch, p.row = r0, p.col = c0;
        p.data = static_cast<char *>(set.data) + (r0 * set.pitch + c0) * set.element;
        if (set.halo_rows) clip(r0, r1, set.rows, set.halo_rows, set.border, p.above, p.below);
        if (set.halo_cols) clip(c0, c1, set.cols, set.halo_cols, set.border, p.left, p.right);
    }
    w->op.kernel(&task, w->op.context);
}

template <class Partitioner> void run(const sup_tile_work *w, Partitioner &&partitioner) {
    const sup_tile_set &set = w->op.set[0];
    size_t rows = set.row_axis == SUP_TILE_I ? set.rows : 1;
    size_t cols = set.col_axis == SUP_TILE_K ? w->op.set[2].cols : set.cols;
    for (int phase = 0; phase < (w->op.phases ? w->op.phases : 1); phase++) {
        if (rows == 1)
            tbb::parallel_for(
                tbb::blocked_range<size_t>(0, cols),
                [=](const tbb::blocked_range<size_t> &r) { cells(w, 0, 1, r.begin(), r.end(), phase); }, partitioner);
        else
            tbb::parallel_for(
                tbb::blocked_range2d<size_t>(0, rows, 0, cols),
                [=](const tbb::blocked_range2d<size_t> &r) {
                    cells(w, r.rows().begin(), r.rows().end(), r.cols().begin(), r.cols().end(), phase);
                },
                partitioner);
    }
}

tbb::task_arena &arena(int threads) {
    static std::map<int, tbb::task_arena> arenas;
    return arenas.try_emplace(threads, threads).first->second;
}

} // namespace

extern "C" bool tile_tbb_auto(const char *, const sup_tile_work *w, int threads) {
    arena(threads).execute([&] { run(w, tbb::auto_partitioner()); });
    return true;
}

extern "C" bool tile_tbb_affinity(const char *, const sup_tile_work *w, int threads) {
    static std::map<const void *, tbb::affinity_partitioner> kept; /* it learns where things were: one for each case */
    arena(threads).execute([&] { run(w, kept[w->a]); });
    return true;
}

/* The program's buffers as bytes in one piece. Built-in types without gaps are so already. All others are packed by the
 * MPI, which puts nothing before or between the bytes (world.c looks whether that is so): another member may describe
 * the same bytes by another type, and all must send the same. */
#include "pmpi/pmpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 28 }; /* of packing, in bytes: MPI counts them by int */

void sup_pmpi_view_derived(sup_pmpi_view *v) {
    MPI_Count size = 0;
    MPI_Aint low = 0, extent = 0, true_extent = 0;
    sup_pmpi_type_state state = sup_pmpi_type_look(v->type);
    if (state == SUP_PMPI_TYPE_WRONG) return;
    if (PMPI_Type_size_x(v->type, &size) != MPI_SUCCESS || size <= 0 || size > INT_MAX) return;
    if (PMPI_Type_get_extent(v->type, &low, &extent) != MPI_SUCCESS) return;
    /* nowhere, and no address in the type */
    if (!v->at && (PMPI_Type_get_true_extent(v->type, &low, &true_extent) != MPI_SUCCESS || !low)) return;
    v->packed = true;
    v->raw = state == SUP_PMPI_TYPE_RAW;
    v->extent = extent;
    v->bytes = v->count * size;
}

/* Elements of no bytes are nothing, on whichever members they are. */
static bool is_empty(MPI_Datatype type) {
    MPI_Count size = -1;
    const sup_pmpi_type *t = sup_pmpi_type_of(type);
    if (t) return !t->size;
    return sup_pmpi_type_look(type) == SUP_PMPI_TYPE_FINE && PMPI_Type_size_x(type, &size) == MPI_SUCCESS && size == 0;
}

/* Without bytes: no elements of a type, or elements of nothing. */
bool sup_pmpi_view_wrong(const sup_pmpi_view *v) {
    if (v->bytes > 0) return false;
    if (v->count < 0) return true;
    if (v->count == 0 && sup_pmpi_type_of(v->type)) return false;
    return v->count == 0 ? sup_pmpi_type_look(v->type) != SUP_PMPI_TYPE_FINE : !is_empty(v->type);
}

sup_pmpi_view sup_pmpi_view_element(const sup_pmpi_comm *c, const void *buffer, const int *counts,
                                    const int *displacements, MPI_Datatype type) {
    static unsigned char somewhere;
    sup_pmpi_view v = sup_pmpi_view_of(&somewhere, 1, type);
    bool wrong = !counts || !displacements || buffer == MPI_IN_PLACE || (v.bytes <= 0 && !is_empty(type)), any = false;
    for (int i = 0; !wrong && i < c->size; i++) {
        wrong = counts[i] < 0;
        any = any || counts[i];
    }
    /* the first look was at a type with a place */
    if (!wrong && any && !buffer && v.bytes) wrong = sup_pmpi_view_of(NULL, 1, type).bytes <= 0;
    v.at = (void *)(uintptr_t)buffer;
    v.counts = counts;
    v.displacements = displacements;
    if (wrong) v.bytes = -1;
    return v;
}

void sup_pmpi_view_blocks(sup_pmpi_comm *c, int half, sup_pmpi_view *v) {
    int64_t size = v->bytes, low = 0; /* a block may lie before the buffer's address */
    v->length = c->blocks + (size_t)(2 * half) * (size_t)c->size;
    v->place = v->length + c->size;
    v->bytes = 0;
    for (int i = 0; i < c->size; i++) {
        v->length[i] = v->counts[i] * size;
        v->place[i] = v->packed ? v->bytes : v->displacements[i] * v->extent;
        if (v->place[i] < low && v->counts[i]) low = v->place[i];
        v->bytes += v->length[i];
    }
    for (int i = 0; i < c->size && !v->packed; i++) v->place[i] = v->counts[i] ? v->place[i] - low : 0;
    if (!v->packed && v->at) v->at = (unsigned char *)v->at + low;
}

/* ---- packing ---- */

static int move_piece(const sup_pmpi_comm *c, MPI_Datatype type, unsigned char *at, unsigned char *packed, int count,
                      int bytes, bool load) {
    int position = 0;
    return load ? PMPI_Pack(at, count, type, packed, bytes, &position, c->comm)
                : PMPI_Unpack(packed, bytes, &position, at, count, type, c->comm);
}

/* Of a type that has addresses in it, from MPI_BOTTOM. MPICH packs nothing from there: the same type from elsewhere. */
static int move_from_bottom(const sup_pmpi_comm *c, const sup_pmpi_view *v, unsigned char *packed, int count, int bytes,
                            bool load) {
    static unsigned char elsewhere;
    MPI_Aint back = -(MPI_Aint)(uintptr_t)&elsewhere;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int one = 1, code = PMPI_Type_create_hindexed(1, &one, &back, v->type, &type);
    if (code == MPI_SUCCESS) code = PMPI_Type_commit(&type);
    if (code == MPI_SUCCESS) code = move_piece(c, type, &elsewhere, packed, count, bytes, load);
    if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
    return code;
}

/* count elements at `at` into or out of `bytes` bytes. */
static int move(const sup_pmpi_comm *c, const sup_pmpi_view *v, unsigned char *at, unsigned char *packed, int64_t count,
                int64_t bytes, bool load) {
    int64_t size = count ? bytes / count : 1, most = size < PIECE ? PIECE / size : 1;
    int code = MPI_SUCCESS;
    if (!at && count <= most) return move_from_bottom(c, v, packed, (int)count, (int)bytes, load);
    for (int64_t done = 0; done < count && code == MPI_SUCCESS;) {
        int n = (int)(count - done < most ? count - done : most);
        code = move_piece(c, v->type, at + done * v->extent, packed + done * size, n, (int)(n * size), load);
        done += n;
    }
    return code;
}

/* Of a type that was not committed, where the library does not mind: by a copy of it that is. */
static int move_raw(const sup_pmpi_comm *c, const sup_pmpi_view *v, unsigned char *at, unsigned char *packed,
                    bool load);

static int move_all(const sup_pmpi_comm *c, const sup_pmpi_view *v, unsigned char *at, unsigned char *packed,
                    bool load) {
    if (v->raw) return move_raw(c, v, at, packed, load);
    if (!v->counts) return move(c, v, at, packed, v->count, v->bytes, load);
    int code = MPI_SUCCESS;
    for (int i = 0; i < c->size && code == MPI_SUCCESS; i++)
        if (v->counts[i])
            code = move(c, v, at + v->displacements[i] * v->extent, packed + v->place[i], v->counts[i], v->length[i],
                        load);
    return code;
}

static int move_raw(const sup_pmpi_comm *c, const sup_pmpi_view *v, unsigned char *at, unsigned char *packed,
                    bool load) {
    sup_pmpi_view fine = *v;
    fine.raw = false;
    int code = PMPI_Type_dup(v->type, &fine.type);
    if (code != MPI_SUCCESS) return code;
    code = PMPI_Type_commit(&fine.type);
    if (code == MPI_SUCCESS) code = move_all(c, &fine, at, packed, load);
    PMPI_Type_free(&fine.type);
    return code;
}

/* A copy of what is in one piece already. Blocks keep their places, from the lowest one on. */
static void copy_plain(const sup_pmpi_comm *c, sup_pmpi_view *v, unsigned char *to) {
    if (!v->counts) {
        memcpy(to, v->at, (size_t)v->bytes);
        return;
    }
    int64_t at = 0;
    for (int i = 0; i < c->size; i++) {
        if (v->length[i]) memcpy(to + at, (unsigned char *)v->at + v->place[i], (size_t)v->length[i]);
        v->place[i] = at;
        at += v->length[i];
    }
}

/* While it is packed `at` is our memory, which the program's address is kept in front of. */
typedef struct front {
    _Alignas(64) void *program;
} front;

int sup_pmpi_view_begin(sup_pmpi_comm *c, sup_pmpi_view *v, bool copy) {
    if (!v->packed && !copy) return MPI_SUCCESS;
    size_t bytes = sizeof(front) + ((size_t)v->bytes + 63) / 64 * 64;
    front *f = aligned_alloc(64, bytes);
    if (!f) return MPI_ERR_NO_MEM;
    unsigned char *ours = (unsigned char *)(f + 1);
    int code = MPI_SUCCESS;
    f->program = v->at;
    if (!v->packed)
        copy_plain(c, v, ours);
    else if (v->load)
        code = move_all(c, v, v->at, ours, true);
    v->at = ours;
    if (code != MPI_SUCCESS) sup_pmpi_view_end(c, v, code);
    return code;
}

int sup_pmpi_view_end(sup_pmpi_comm *c, sup_pmpi_view *v, int code) {
    front *f = (front *)v->at - 1;
    unsigned char *ours = v->at;
    v->at = f->program;
    if (code == MPI_SUCCESS && v->packed && v->store) code = move_all(c, v, v->at, ours, false);
    free(f);
    return code;
}

/* Packing, sending and unpacking of what one process has recorded (trace_pack.h). */
#include "bsp/trace_pack.h"

#include "net/numbers.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_HEAD = SUP_TAG_TRACE_PACK, TAG_BYTES, TAG_SEQUENCE };
_Static_assert((int)TAG_SEQUENCE == (int)SUP_TAG_TRACE_PACK_LAST, "tags of traces");
enum { SITE_TEXT = 512 };

typedef struct packed_site {
    char place[SITE_TEXT], symbol[SITE_TEXT];
} packed_site;

typedef struct packed_step {
    uint64_t site, merged, count, early_bytes, items;
    double time[BSP_TRACE_TIMES][5];
} packed_step;

/* ---- packing ---- */

static sup_status put_bytes(bsp_trace_parcel *p, const void *from, size_t length) {
    size_t used = (size_t)p->head.bytes;
    if (length > p->room - used) {
        size_t room = 2 * p->room + length + 4096;
        void *more = realloc(p->bytes, room);
        if (!more) return SUP_ENOMEM;
        p->bytes = more;
        p->room = room;
    }
    if (length) memcpy(p->bytes + used, from, length);
    p->head.bytes += length;
    return SUP_OK;
}

static void clean(char *text) {
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f) *text = '?';
}

/* The address is where the call returns to; the byte before it is inside the call. */
static void describe_site(const void *site, packed_site *out) {
    Dl_info info;
    memset(out, 0, sizeof *out);
    if (!dladdr((const char *)site - 1, &info) || !info.dli_fname) {
        snprintf(out->place, sizeof out->place, "%p", site);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    snprintf(out->place, sizeof out->place, "%.400s+0x%zx", *name ? name : program_invocation_short_name,
             (size_t)((uintptr_t)site - (uintptr_t)info.dli_fbase));
    if (info.dli_sname) snprintf(out->symbol, sizeof out->symbol, "%.*s", SITE_TEXT - 1, info.dli_sname);
    clean(out->place);
    clean(out->symbol);
}

/* Each call site once, in the order of first use; number[i] is that of step i. */
static sup_status pack_sites(const bsp_trace_book *k, bsp_trace_parcel *p, uint64_t *number) {
    for (uint32_t i = 0; i < k->step_count; i++) {
        uint32_t j = 0;
        while (j < i && k->step[j]->site != k->step[i]->site) j++;
        number[i] = j < i ? number[j] : p->head.sites++;
        if (j < i) continue;
        packed_site site;
        describe_site(k->step[i]->site, &site);
        if (put_bytes(p, &site, sizeof site)) return SUP_ENOMEM;
    }
    return SUP_OK;
}

/* Items as totals over the supersteps of the step; *count counts them. */
static sup_status pack_items(const bsp_trace_book *k, const bsp_trace_step *s, bsp_trace_parcel *p, uint64_t *count) {
    size_t keys = s->merged ? (size_t)k->procs * SUP_TRACE_KINDS : s->item_count;
    for (size_t i = 0; i < keys; i++) {
        bsp_trace_item item = s->merged ? (bsp_trace_item){(uint32_t)i, 0, s->merged[i]} : s->items[i];
        if (!item.sum.messages) continue;
        if (!s->merged) {
            item.sum.messages *= s->count;
            item.sum.bytes *= s->count;
        }
        ++*count;
        if (put_bytes(p, &item, sizeof item)) return SUP_ENOMEM;
    }
    return SUP_OK;
}

static sup_status pack_step(const bsp_trace_book *k, const bsp_trace_step *s, uint64_t site, bsp_trace_parcel *p) {
    packed_step out = {.site = site, .merged = s->merged != NULL, .count = s->count, .early_bytes = s->early_bytes};
    for (int i = 0; i < BSP_TRACE_TIMES; i++) {
        sup_trace_time t = bsp_trace_summary(s, i);
        memcpy(out.time[i], (double[5]){t.mean, t.sd, t.min, t.max, t.median}, sizeof out.time[i]);
    }
    size_t at = (size_t)p->head.bytes;
    if (put_bytes(p, &out, sizeof out) || pack_items(k, s, p, &out.items)) return SUP_ENOMEM;
    memcpy(p->bytes + at, &out, sizeof out); /* now that the items are counted */
    return SUP_OK;
}

static int pinned_cpu(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1) return -1;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &set)) cpu++;
    return cpu;
}

sup_status bsp_trace_pack(const bsp_trace_book *k, double wall_s, bsp_trace_parcel *p) {
    *p = (bsp_trace_parcel){.head = {.supersteps = k->supersteps,
                                     .left_out = k->left_out,
                                     .wall_s = wall_s,
                                     .cpu = pinned_cpu(),
                                     .broken = k->broken},
                            .borrowed = true};
    if (k->broken) return SUP_OK;
    uint64_t *number = calloc((size_t)k->step_count + 1, sizeof *number);
    sup_status status = number ? pack_sites(k, p, number) : SUP_ENOMEM;
    for (uint32_t i = 0; i < k->step_count && !status; i++) status = pack_step(k, k->step[i], number[i], p);
    free(number);
    if (status) {
        bsp_trace_parcel_free(p);
        return status;
    }
    p->head.steps = k->step_count;
    p->head.sequence = k->sequence_count;
    p->sequence = k->sequence;
    return SUP_OK;
}

void bsp_trace_parcel_free(bsp_trace_parcel *p) {
    free(p->bytes);
    if (!p->borrowed) free(p->sequence);
    *p = (bsp_trace_parcel){0};
}

/* ---- travelling ---- */

static sup_status send_part(sup_net *net, int tag, const void *part, size_t length) {
    sup_net_req req;
    sup_status status = length ? sup_net_isend(net, 0, tag, part, length, &req) : SUP_OK;
    return length && !status ? sup_net_wait(net, &req) : status;
}

sup_status bsp_trace_send(sup_net *net, const bsp_trace_parcel *p) {
    sup_status status = send_part(net, TAG_HEAD, &p->head, sizeof p->head);
    if (!status) status = send_part(net, TAG_BYTES, p->bytes, (size_t)p->head.bytes);
    if (!status) status = send_part(net, TAG_SEQUENCE, p->sequence, (size_t)p->head.sequence * sizeof *p->sequence);
    return status;
}

static sup_status receive_part(sup_net *net, int rank, int tag, void *part, size_t length) {
    sup_net_req req;
    sup_status status = length ? sup_net_irecv(net, rank, tag, part, length, &req) : SUP_OK;
    return length && !status ? sup_net_wait(net, &req) : status;
}

/* A message longer than its buffer is cut off and gone. */
static void drop_part(sup_net *net, int rank, int tag, uint64_t length) {
    char byte;
    if (length) (void)receive_part(net, rank, tag, &byte, 1);
}

sup_status bsp_trace_receive(sup_net *net, int rank, bsp_trace_parcel *p) {
    *p = (bsp_trace_parcel){0};
    sup_status status = receive_part(net, rank, TAG_HEAD, &p->head, sizeof p->head);
    if (status) return status;
    p->bytes = malloc((size_t)p->head.bytes + 1);
    p->sequence = malloc((size_t)p->head.sequence * sizeof *p->sequence + 1);
    if (!p->bytes || !p->sequence) {
        drop_part(net, rank, TAG_BYTES, p->head.bytes);
        drop_part(net, rank, TAG_SEQUENCE, p->head.sequence);
        bsp_trace_parcel_free(p);
        return SUP_ENOMEM;
    }
    status = receive_part(net, rank, TAG_BYTES, p->bytes, (size_t)p->head.bytes);
    if (!status)
        status = receive_part(net, rank, TAG_SEQUENCE, p->sequence, (size_t)p->head.sequence * sizeof *p->sequence);
    if (status) bsp_trace_parcel_free(p);
    return status;
}

sup_status bsp_trace_discard(sup_net *net, int rank) {
    bsp_trace_head head;
    sup_status status = receive_part(net, rank, TAG_HEAD, &head, sizeof head);
    if (status) return status;
    drop_part(net, rank, TAG_BYTES, head.bytes);
    drop_part(net, rank, TAG_SEQUENCE, head.sequence);
    return SUP_OK;
}

/* ---- unpacking ---- */

static const unsigned char *take(const unsigned char *at, void *to, size_t length) {
    memcpy(to, at, length);
    return at + length;
}

/* The trace's number of a call site. */
static sup_status find_site(sup_trace *t, const packed_site *site, int64_t *number) {
    for (size_t i = 0; i < t->sites_count; i++)
        if (!strcmp(t->sites[i].place, site->place)) {
            *number = (int64_t)i;
            return SUP_OK;
        }
    sup_trace_site *fresh = SUP_APPEND(&sup_trace_site_record, t->sites, t->sites_count);
    if (!fresh) return SUP_ENOMEM;
    sup_status status = sup_record_set_string(&fresh->place, site->place);
    if (!status && site->symbol[0]) status = sup_record_set_string(&fresh->symbol, site->symbol);
    *number = (int64_t)t->sites_count - 1;
    return status;
}

static sup_status add_triple(int64_t **list, size_t *count, const bsp_trace_item *item) {
    if (*count % 3 == 0 && ((*count / 3) & (*count / 3 + 1)) == 0) { /* 0, 1, 3, 7 … triples: full */
        size_t room = 3 * (2 * (*count / 3) + 1);
        void *more = realloc(*list, room * sizeof **list);
        if (!more) return SUP_ENOMEM;
        *list = more;
    }
    (*list)[(*count)++] = item->key / SUP_TRACE_KINDS;
    (*list)[(*count)++] = (int64_t)item->sum.messages;
    (*list)[(*count)++] = (int64_t)item->sum.bytes;
    return SUP_OK;
}

static sup_status add_item(sup_trace_step *s, const bsp_trace_item *item) {
    switch (item->key % SUP_TRACE_KINDS) {
    case SUP_TRACE_PUT: return add_triple(&s->puts, &s->puts_count, item);
    case SUP_TRACE_HPPUT: return add_triple(&s->hpputs, &s->hpputs_count, item);
    case SUP_TRACE_GET: return add_triple(&s->gets, &s->gets_count, item);
    case SUP_TRACE_HPGET: return add_triple(&s->hpgets, &s->hpgets_count, item);
    default: return add_triple(&s->sends, &s->sends_count, item);
    }
}

static const unsigned char *unpack_step(const unsigned char *at, const int64_t *number, sup_trace_step *s) {
    packed_step in;
    at = take(at, &in, sizeof in);
    s->site = number[in.site];
    s->count = (int64_t)in.count;
    s->merged = in.merged;
    s->early_bytes = (int64_t)in.early_bytes;
    sup_trace_time *time[BSP_TRACE_TIMES] = {&s->compute_s, &s->wait_s, &s->sync_s};
    for (int i = 0; i < BSP_TRACE_TIMES; i++)
        *time[i] = (sup_trace_time){.mean = in.time[i][0],
                                    .sd = in.time[i][1],
                                    .min = in.time[i][2],
                                    .max = in.time[i][3],
                                    .median = in.time[i][4]};
    for (uint64_t i = 0; i < in.items; i++) {
        bsp_trace_item item;
        at = take(at, &item, sizeof item);
        if (add_item(s, &item)) return NULL;
    }
    return at;
}

sup_status bsp_trace_unpack(const bsp_trace_parcel *p, sup_trace *t) {
    sup_trace_process *process = SUP_APPEND(&sup_trace_process_record, t->processes, t->processes_count);
    int64_t *number = calloc((size_t)p->head.sites + 1, sizeof *number);
    sup_status status = process && number ? SUP_OK : SUP_ENOMEM;
    const unsigned char *at = p->bytes;
    for (uint64_t i = 0; i < p->head.sites && !status; i++) {
        packed_site site;
        at = take(at, &site, sizeof site);
        status = find_site(t, &site, &number[i]);
    }
    for (uint64_t i = 0; i < p->head.steps && !status; i++) {
        sup_trace_step *s = SUP_APPEND(&sup_trace_step_record, process->steps, process->steps_count);
        at = s ? unpack_step(at, number, s) : NULL;
        if (!at) status = SUP_ENOMEM;
    }
    if (!status) process->wall_s = p->head.wall_s;
    free(number);
    return status;
}

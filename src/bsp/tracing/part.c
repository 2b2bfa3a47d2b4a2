/* Making, sending and adding up of what one process has recorded (tracing/part.h). */
#include "bsp/tracing/part.h"

#include "base/text.h"
#include "net/numbers.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_HEAD = SUP_TAG_TRACE_PART, TAG_TEXT, TAG_SEQUENCE };
_Static_assert((int)TAG_SEQUENCE == (int)SUP_TAG_TRACE_PART_LAST, "tags of traces");

static const sup_field fields[] = {
    SUP_F_RECORDS(bsp_trace_part, sites, "sites", true, &sup_trace_site_record),
    SUP_F_RECORD(bsp_trace_part, process, "process", &sup_trace_process_record),
    SUP_F_INT(bsp_trace_part, supersteps, "supersteps", 0, SUP_INT_MAX),
    SUP_F_INT(bsp_trace_part, left_out, "left_out", 0, SUP_INT_MAX),
    SUP_F_INT(bsp_trace_part, cpu, "cpu", -1, CPU_SETSIZE),
    SUP_F_END,
};
static const sup_record record = {
    "process", sizeof(bsp_trace_part), offsetof(bsp_trace_part, extra), fields, NULL, NULL, NULL};

void bsp_trace_part_free(bsp_trace_part *p) {
    if (!p->borrowed) free(p->sequence);
    p->sequence = NULL;
    sup_record_clear(&record, p);
}

/* ---- making ---- */

/* The address is where the call returns to; the byte before it is inside the call. */
static sup_status describe_site(const void *address, sup_trace_site *out) {
    enum { TEXT = 512 };
    char place[TEXT], symbol[TEXT] = "";
    Dl_info info;
    if (!dladdr((const char *)address - 1, &info) || !info.dli_fname) {
        snprintf(place, sizeof place, "%p", address);
        return sup_record_set_string(&out->place, place);
    }
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    snprintf(place, sizeof place, "%.400s+0x%zx", *name ? name : program_invocation_short_name,
             (size_t)((uintptr_t)address - (uintptr_t)info.dli_fbase));
    if (info.dli_sname) snprintf(symbol, sizeof symbol, "%.*s", TEXT - 1, info.dli_sname);
    sup_text_make_plain(place);
    sup_text_make_plain(symbol);
    sup_status status = sup_record_set_string(&out->place, place);
    return status || !symbol[0] ? status : sup_record_set_string(&out->symbol, symbol);
}

/* The number of the call site of step i: those of the steps before it are known. */
static sup_status number_site(const bsp_trace_book *k, uint32_t i, bsp_trace_part *p, int64_t *number) {
    uint32_t j = 0;
    while (j < i && k->step[j]->site != k->step[i]->site) j++;
    *number = j < i ? p->process.steps[j].site : (int64_t)p->sites_count;
    if (j < i) return SUP_OK;
    sup_trace_site *fresh = SUP_APPEND(&sup_trace_site_record, p->sites, p->sites_count);
    return fresh ? describe_site(k->step[i]->site, fresh) : SUP_ENOMEM;
}

/* Totals over the supersteps of the step s, into the list of the item's kind. */
static sup_status add_item(const bsp_trace_step *s, uint32_t key, bsp_trace_cell sum, sup_trace_step *out) {
    const struct {
        int64_t **list;
        size_t *count;
    } kinds[SUP_TRACE_KINDS] = {[SUP_TRACE_PUT] = {&out->puts, &out->puts_count},
                                [SUP_TRACE_HPPUT] = {&out->hpputs, &out->hpputs_count},
                                [SUP_TRACE_GET] = {&out->gets, &out->gets_count},
                                [SUP_TRACE_HPGET] = {&out->hpgets, &out->hpgets_count},
                                [SUP_TRACE_SEND] = {&out->sends, &out->sends_count}};
    int64_t **list = kinds[key % SUP_TRACE_KINDS].list;
    size_t *count = kinds[key % SUP_TRACE_KINDS].count, triples = *count / 3;
    if ((triples & (triples + 1)) == 0) { /* 0, 1, 3, 7 …: full */
        void *more = realloc(*list, 3 * (2 * triples + 1) * sizeof **list);
        if (!more) return SUP_ENOMEM;
        *list = more;
    }
    uint64_t times = s->merged ? 1 : s->count;
    (*list)[(*count)++] = key / SUP_TRACE_KINDS;
    (*list)[(*count)++] = (int64_t)(sum.messages * times);
    (*list)[(*count)++] = (int64_t)(sum.bytes * times);
    return SUP_OK;
}

static sup_status add_time(const bsp_trace_step *s, int which, sup_trace_time **out) {
    *out = calloc(1, sizeof **out);
    if (!*out) return SUP_ENOMEM;
    **out = bsp_trace_summary(s, which);
    return SUP_OK;
}

static double not_less(double seconds) { return seconds > 0 ? seconds : 0; }

static sup_status add_first(const bsp_trace_step *s, sup_trace_first **out) {
    *out = sup_record_make(&sup_trace_first_record);
    if (!*out) return SUP_ENOMEM;
    (*out)->superstep = (int64_t)s->first_at;
    (*out)->compute_s = not_less(s->first.time[BSP_TRACE_COMPUTE]);
    (*out)->calls_s = not_less(s->first.time[BSP_TRACE_CALLS]);
    (*out)->wait_s = not_less(s->first.time[BSP_TRACE_WAIT]);
    (*out)->sync_s = not_less(s->first.time[BSP_TRACE_SYNC]);
    (*out)->calls_new_bytes = (int64_t)s->first.calls_new;
    (*out)->sync_new_bytes = (int64_t)s->first.sync_new;
    return SUP_OK;
}

static sup_status add_step(const bsp_trace_book *k, uint32_t i, bsp_trace_part *p) {
    const bsp_trace_step *s = k->step[i];
    int64_t site = 0;
    sup_status status = number_site(k, i, p, &site);
    sup_trace_step *out = status ? NULL : SUP_APPEND(&sup_trace_step_record, p->process.steps, p->process.steps_count);
    if (!out) return SUP_ENOMEM;
    out->site = site;
    out->count = (int64_t)s->count;
    out->merged = s->merged != NULL;
    out->early_bytes = (int64_t)s->early_bytes;
    out->calls_new_bytes = (int64_t)s->calls_new;
    out->sync_new_bytes = (int64_t)s->sync_new;
    out->compute_s = bsp_trace_summary(s, BSP_TRACE_COMPUTE);
    out->wait_s = bsp_trace_summary(s, BSP_TRACE_WAIT);
    out->sync_s = bsp_trace_summary(s, BSP_TRACE_SYNC);
    if (!status) status = add_first(s, &out->first);
    if (!status) status = add_time(s, BSP_TRACE_CALLS, &out->calls_s);
    if (!status) status = add_time(s, BSP_TRACE_BEHIND, &out->behind_s);
    for (size_t j = 0; j < s->item_count && !status; j++) status = add_item(s, s->items[j].key, s->items[j].sum, out);
    for (uint32_t key = 0; s->merged && key < (uint32_t)k->procs * SUP_TRACE_KINDS && !status; key++)
        if (s->merged[key].messages) status = add_item(s, key, s->merged[key], out);
    return status;
}

static int pinned_cpu(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1) return -1;
    int cpu = 0;
    while (!CPU_ISSET(cpu, &set)) cpu++;
    return cpu;
}

sup_status bsp_trace_part_make(const bsp_trace_book *k, double wall_s, bsp_trace_part *out) {
    bsp_trace_part p = {0};
    sup_record_init(&record, &p);
    p.supersteps = (int64_t)k->supersteps;
    p.left_out = (int64_t)k->left_out;
    p.cpu = pinned_cpu();
    p.process.wall_s = wall_s;
    p.sequence = k->sequence;
    p.sequence_count = k->sequence_count;
    p.borrowed = true;
    sup_status status = k->broken ? SUP_ENOMEM : SUP_OK;
    for (uint32_t i = 0; i < k->step_count && !status; i++) status = add_step(k, i, &p);
    if (status) bsp_trace_part_free(&p);
    *out = p;
    return status;
}

/* ---- travelling ---- */

typedef struct part_head {
    uint64_t bytes;    /* of the text; 0: there is none */
    uint64_t sequence; /* numbers */
} part_head;

static sup_status send_piece(sup_net *net, int tag, const void *piece, size_t length) {
    sup_net_req req;
    sup_status status = length ? sup_net_isend(net, 0, tag, piece, length, &req) : SUP_OK;
    return length && !status ? sup_net_wait(net, &req) : status;
}

static char *text_of(const bsp_trace_part *p, size_t *length) {
    json_t *json = NULL;
    char *text = NULL;
    if (!sup_record_write(&record, p, NULL, &json)) (void)sup_json_text(json, NULL, &text, length);
    json_decref(json);
    return text;
}

sup_status bsp_trace_part_send(sup_net *net, const bsp_trace_part *p) {
    size_t length = 0;
    char *text = p ? text_of(p, &length) : NULL;
    part_head head = {text ? length : 0, text ? p->sequence_count : 0};
    sup_status status = send_piece(net, TAG_HEAD, &head, sizeof head);
    if (!status && text) status = send_piece(net, TAG_TEXT, text, length);
    if (!status && text) status = send_piece(net, TAG_SEQUENCE, p->sequence, head.sequence * sizeof *p->sequence);
    free(text);
    return status;
}

/* Into memory for the caller to free. A message longer than its buffer is cut off and gone, so that where there is no
 * memory for it nothing stays behind. */
static sup_status receive_piece(sup_net *net, int rank, int tag, size_t length, bool wanted, void **out) {
    char byte;
    sup_net_req req;
    *out = wanted ? malloc(length + 1) : NULL;
    sup_status status = length ? sup_net_irecv(net, rank, tag, *out ? *out : &byte, *out ? length : 1, &req) : SUP_OK;
    if (length && !status) status = sup_net_wait(net, &req);
    return *out || !wanted ? status : SUP_ENOMEM;
}

static sup_status read_text(const char *text, size_t length, sup_diag *diag, bsp_trace_part *out) {
    sup_json *doc = NULL;
    sup_status status = sup_json_parse("trace", text, length, diag, &doc);
    if (!status) status = sup_record_read(&record, doc, sup_json_root(doc), true, diag, out);
    sup_json_free(doc);
    return status;
}

sup_status bsp_trace_part_receive(sup_net *net, int rank, sup_diag *diag, bsp_trace_part *out) {
    part_head head = {0};
    void *text = NULL, *sequence = NULL;
    sup_net_req req;
    sup_status status = sup_net_irecv(net, rank, TAG_HEAD, &head, sizeof head, &req);
    if (!status) status = sup_net_wait(net, &req);
    if (status) return status;
    sup_status first = receive_piece(net, rank, TAG_TEXT, head.bytes, out, &text);
    sup_status second = receive_piece(net, rank, TAG_SEQUENCE, head.sequence * sizeof *out->sequence, out, &sequence);
    status = first ? first : second;
    if (out && !status) status = head.bytes ? read_text(text, head.bytes, diag, out) : SUP_ENOMEM;
    if (out && !status) {
        out->sequence = sequence;
        out->sequence_count = head.sequence;
        sequence = NULL;
    }
    free(text);
    free(sequence);
    return status;
}

/* ---- adding up ---- */

/* The trace's number of a call site, which it may know from another process. */
static sup_status find_site(sup_trace *t, sup_trace_site *site, int64_t *number) {
    size_t i = 0;
    while (i < t->sites_count && strcmp(t->sites[i].place, site->place) != 0) i++;
    *number = (int64_t)i;
    if (i < t->sites_count) return SUP_OK;
    sup_trace_site *fresh = SUP_APPEND(&sup_trace_site_record, t->sites, t->sites_count);
    if (!fresh) return SUP_ENOMEM;
    *fresh = *site;
    sup_record_init(&sup_trace_site_record, site);
    return SUP_OK;
}

sup_status bsp_trace_part_add(bsp_trace_part *p, sup_trace *t) {
    sup_trace_process *process = SUP_APPEND(&sup_trace_process_record, t->processes, t->processes_count);
    int64_t *number = calloc(p->sites_count + 1, sizeof *number);
    sup_status status = process && number ? SUP_OK : SUP_ENOMEM;
    for (size_t i = 0; i < p->sites_count && !status; i++) status = find_site(t, &p->sites[i], &number[i]);
    for (size_t i = 0; i < p->process.steps_count && !status; i++)
        p->process.steps[i].site = number[p->process.steps[i].site];
    if (!status) {
        *process = p->process;
        sup_record_init(&sup_trace_process_record, &p->process);
    }
    free(number);
    return status;
}

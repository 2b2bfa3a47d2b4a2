/* superstep taulop coll: what the command line asks for, read and checked: operation and algorithm, mapping, sizes, the
 * profile. Term Tcomm. */
#include "base/text.h"
#include "cli/machine/machine.h"
#include "cli/taulop/taulop.h"
#include "model/equation/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERB SUP_TAULOP_VERB
#define SIZE_MOST ((int64_t)1 << 50)

/* "64K": units of 1024, at *text, which moves behind it. */
static bool read_size(const char **text, int64_t *out) {
    static const char units[] = "KMGT";
    const char *end = *text;
    int64_t value;
    if (!sup_text_int(&end, 0, SIZE_MOST, &value)) return false;
    char c = *end >= 'a' && *end <= 'z' ? (char)(*end - 'a' + 'A') : *end;
    const char *unit = c ? strchr(units, c) : NULL;
    if (unit) {
        for (const char *u = units; u <= unit; u++) value = value <= SIZE_MOST ? value * 1024 : value;
        end++;
    }
    if (*end == 'B' || *end == 'b') end++;
    *text = end;
    *out = value;
    return value <= SIZE_MOST;
}

bool sup_taulop_read_sizes(const char *text, int64_t *sizes, size_t *count) {
    size_t n = 0;
    for (const char *at = text;; at++) {
        int64_t from, to;
        if (!read_size(&at, &from) || n == SUP_TAULOP_SIZES) return false;
        sizes[n++] = from;
        if (!strncmp(at, "..", 2)) {
            at += 2;
            if (!read_size(&at, &to) || to < from || from < 1) return false;
            while (sizes[n - 1] * 2 <= to) {
                if (n == SUP_TAULOP_SIZES) return false;
                sizes[n] = sizes[n - 1] * 2;
                n++;
            }
        }
        if (!*at) break;
        if (*at != ',') return false;
    }
    *count = n;
    return true;
}

static int unknown_operation(const char *name, size_t length) {
    char list[256] = "";
    for (int o = 0, at = 0; o < SUP_OPERATIONS; o++)
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", o ? ", " : "", sup_operation_names[o]);
    return sup_cli_usage(VERB, "there is no operation \"%.*s\"; there is: %s", (int)(length < 64 ? length : 64), name,
                         list);
}

/* "broadcast:binomial", or the operation alone. */
static int read_given(const sup_taulop_request *r, sup_taulop_job *out) {
    char name[32] = "";
    sup_diag diag = {0};
    size_t length = strcspn(r->given, ":");
    if (length < sizeof name) memcpy(name, r->given, length);
    out->job.operation = sup_operation_find(name);
    if (out->job.operation == SUP_OPERATIONS) return unknown_operation(r->given, length);
    bool algorithm = r->given[length] == ':';
    if (r->compare && algorithm)
        return sup_cli_usage(VERB, "--compare takes an operation alone: all of its algorithms are compared");
    if (r->compare) return -1;
    if (!algorithm)
        return sup_cli_usage(VERB, "which algorithm of %s? such as %s:%s; or --compare all",
                             sup_operation_names[out->job.operation], name,
                             out->job.operation == SUP_BARRIER ? "dissemination" : "linear");
    out->choice_text = r->given + length + 1;
    if (sup_choice_read(out->job.operation, out->choice_text, &diag, &out->choice))
        return sup_cli_fail_diag(VERB, &diag);
    if (!out->choice.algorithm) return sup_cli_usage(VERB, "what an MPI does by itself has no schedule");
    return -1;
}

static int read_sizes(const sup_taulop_request *r, sup_taulop_job *out) {
    int64_t segment;
    const char *at = r->segment;
    if (r->segment && (!read_size(&at, &segment) || *at || !segment))
        return sup_cli_usage(VERB, "--segment: \"%.64s\" is no size such as 64K", r->segment);
    if (r->segment && !r->compare && !(out->choice.algorithm->traits & SUP_ALGORITHM_SEGMENTS))
        return sup_cli_usage(VERB, "--segment: %s does not cut its vector", out->choice.algorithm->name);
    if (r->segment) out->job.segment_bytes = out->choice.segment_bytes = segment;
    if (out->job.operation == SUP_BARRIER) {
        if (r->sizes) return sup_cli_usage(VERB, "--size: a barrier has no bytes");
        out->size_count = 1;
        return -1;
    }
    if (!r->sizes) return sup_cli_usage(VERB, "--size BYTES is missing: of a block, or of the vector");
    if (!sup_taulop_read_sizes(r->sizes, out->sizes, &out->size_count))
        return sup_cli_usage(VERB, "--size: \"%.64s\" is no size (64K), list (1K,64K) or range (1K..1M) of up to %d",
                             r->sizes, SUP_TAULOP_SIZES);
    return -1;
}

static int open_machine(const sup_taulop_request *r, sup_taulop_job *out) {
    sup_diag diag = {0};
    if (!r->profile) return -1;
    if (sup_machine_read(r->profile, &diag, &out->profile)) return sup_cli_fail_diag(VERB, &diag);
    out->transport = r->net ? r->net : out->profile->signature.transport;
    if (!out->transport) out->transport = "shm";
    if (!sup_collective_open(out->profile, out->transport, &diag, &out->platform)) return -1;
    if (!diag.file[0]) snprintf(diag.file, sizeof diag.file, "%s", r->profile);
    return sup_cli_fail_diag(VERB, &diag);
}

/* What more processes on a node would take than were measured nobody knows: what they share is shared by more. */
static int check_nodes(const sup_taulop_job *j) {
    const sup_origin *o = &j->profile->signature;
    int64_t hosts = o->hosts > 0 ? o->hosts : 1, measured = (o->processes + hosts - 1) / hosts,
            most = sup_mapping_fullest(&j->mapping);
    char measure[64] = "";
    if (most <= measured) return -1;
    if (most <= SUP_MODEL_MEASURED_MOST)
        snprintf(measure, sizeof measure, "`superstep measure -n %" PRId64 "`, ", most);
    return sup_cli_usage(VERB,
                         "the profile is of %" PRId64 " process%s on a node, not of %" PRId64
                         "; %s`superstep machine compose`, or more nodes by --map",
                         measured, measured == 1 ? "" : "es", most, measure);
}

static int read_processes(const sup_taulop_request *r, sup_taulop_job *out) {
    sup_diag diag = {0};
    out->job.processes = r->processes ? r->processes : out->profile ? out->profile->signature.processes : 0;
    if (!out->job.processes) return sup_cli_usage(VERB, "-P N is missing: how many processes?");
    out->job.root = r->root;
    if (out->job.root >= out->job.processes)
        return sup_cli_usage(VERB, "--root: there is no rank %ld of %lld", r->root, (long long)out->job.processes);
    out->map = r->map ? r->map : "one";
    if (sup_mapping_read(out->map, out->job.processes, &diag, &out->mapping)) return sup_cli_fail_diag(VERB, &diag);
    return out->platform ? check_nodes(out) : -1;
}

int sup_taulop_open_job(const sup_taulop_request *r, sup_taulop_job *out) {
    *out = (sup_taulop_job){.job.element = 8};
    int code = read_given(r, out);
    if (code < 0) code = read_sizes(r, out);
    if (code < 0 && r->net && !r->profile)
        code = sup_cli_usage(VERB, "--transport without --profile FILE: nothing is priced");
    if (code < 0 && r->evaluator && !r->profile)
        code = sup_cli_usage(VERB, "--evaluator without --profile FILE: nothing is priced");
    if (code < 0) code = open_machine(r, out);
    if (code < 0) code = read_processes(r, out);
    if (code >= 0) sup_taulop_close_job(out);
    return code;
}

void sup_taulop_close_job(sup_taulop_job *job) {
    sup_collective_close(job->platform);
    sup_profile_free(job->profile);
    sup_mapping_free(&job->mapping);
    *job = (sup_taulop_job){0};
}

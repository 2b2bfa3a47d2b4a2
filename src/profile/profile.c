/* The profile, joint 1 of the flow: the file as a whole. Its sections are in records.c and pairs.c. */
#include "profile/profile.h"

#include <inttypes.h>
#include <string.h>

static const sup_field fields[] = {
    SUP_F_STRING(sup_profile, kind, "kind"),
    SUP_F_INT(sup_profile, schema, "schema", 1, SUP_PROFILE_SCHEMA),
    SUP_F_STRING(sup_profile, created, "created"),
    SUP_F_STRING(sup_profile, tool, "tool"),
    SUP_F_RECORD(sup_profile, signature, "signature", &sup_origin_record),
    SUP_F_MAYBE(sup_profile, quality, "quality", &sup_quality_record),
    SUP_F_MAYBE(sup_profile, composed, "composed", &sup_composed_record),
    SUP_F_MAYBE(sup_profile, kinds, "kinds", &sup_kinds_record),
    SUP_F_RECORDS(sup_profile, kernels, "kernels", false, &sup_kernel_record),
    SUP_F_RECORDS(sup_profile, programs, "programs", false, &sup_program_times_record),
    SUP_F_RECORDS(sup_profile, classic, "classic", false, &sup_classic_record),
    SUP_F_RECORDS(sup_profile, pairs, "pairs", false, &sup_pairs_record),
    SUP_F_RECORDS(sup_profile, channels, "channels", false, &sup_channel_record),
    SUP_F_RECORDS(sup_profile, vectors, "vectors", false, &sup_vector_record),
    SUP_F_RECORDS(sup_profile, sync, "sync", false, &sup_sync_record),
    SUP_F_RECORDS(sup_profile, collectives, "collectives", false, &sup_collective_time_record),
    SUP_F_RECORDS(sup_profile, signals, "signals", false, &sup_signal_record),
    SUP_F_RECORDS(sup_profile, exchanges, "exchanges", false, &sup_exchange_record),
    SUP_F_RECORDS(sup_profile, copies, "copies", false, &sup_copy_record),
    SUP_F_RECORDS(sup_profile, overlap, "overlap", false, &sup_overlap_record),
    SUP_F_RECORDS(sup_profile, first, "first", false, &sup_first_time_record),
    SUP_F_RECORDS(sup_profile, tiles, "tiles", false, &sup_tile_time_record),
    SUP_F_RECORDS(sup_profile, noise, "noise", false, &sup_noise_record),
    SUP_F_RECORDS(sup_profile, interruptions, "interruptions", false, &sup_interruptions_record),
    SUP_F_RECORDS(sup_profile, visits, "visits", false, &sup_visited_record),
    SUP_F_END,
};

static bool is_kind(const sup_kinds *kinds, const char *name) {
    if (!name) return true;
    for (size_t i = 0; kinds && i < kinds->names_count; i++)
        if (strcmp(kinds->names[i], name) == 0) return true;
    return false;
}

static sup_status check_kernels(const sup_where *w, const sup_profile *p) {
    for (size_t i = 0; i < p->kernels_count; i++) {
        const sup_kernel_profile *kernel = &p->kernels[i];
        sup_where at = sup_where_below(w, "kernels", (int)i, &sup_kernel_record);
        for (size_t k = 0; k < kernel->rates_count; k++)
            if (!is_kind(p->kinds, kernel->rates[k].kind))
                return sup_where_fail(&at, "rates", (int)k,
                                      "kernel \"%s\" has a rate for kind \"%.64s\", which \"kinds\" does not name",
                                      kernel->name, kernel->rates[k].kind);
    }
    return SUP_OK;
}

static sup_status check_profile(const sup_where *w, const void *object) {
    const sup_profile *p = object;
    sup_status status = sup_record_file_check(w, &sup_profile_file, p->kind, p->created);
    if (status) return status;
    if (p->pairs_count > SUP_PROFILE_TRANSPORTS)
        return sup_where_fail(w, "pairs", -1, "\"pairs\" of more than %d transports", SUP_PROFILE_TRANSPORTS);
    if (!p->signature.placement_count && !p->composed)
        return sup_where_fail(w, "signature", -1, "\"placement\" is missing: a profile belongs to a placement");
    for (size_t i = 0; i < p->pairs_count; i++) {
        const sup_pairs *pairs = &p->pairs[i];
        sup_where at = sup_where_below(w, "pairs", (int)i, &sup_pairs_record);
        if (pairs->processes != p->signature.processes)
            return sup_where_fail(&at, "processes", -1, "pairs of %" PRId64 " processes in a profile of %" PRId64,
                                  pairs->processes, p->signature.processes);
        status = sup_pairs_check_kinds(&at, pairs, p->kinds);
        if (status) return status;
        for (size_t k = 0; k < i; k++)
            if (strcmp(p->pairs[k].transport, pairs->transport) == 0)
                return sup_where_fail(&at, "transport", -1, "pairs of transport \"%.64s\" are there twice",
                                      pairs->transport);
    }
    return check_kernels(w, p);
}

static sup_status derive_profile(const sup_where *w, void *object) {
    (void)w;
    sup_profile *p = object;
    for (size_t i = 0; i < p->pairs_count; i++) p->pairs[i].kinds = p->kinds;
    return SUP_OK;
}

static SUP_RECORD_DERIVED(profile_record, "profile", sup_profile, fields, check_profile, derive_profile, NULL);
const sup_record_file sup_profile_file = {SUP_PROFILE_KIND, SUP_PROFILE_SCHEMA, &profile_record};

const sup_pairs *sup_profile_pairs(const sup_profile *profile, const char *transport) {
    for (size_t i = 0; i < profile->pairs_count; i++)
        if (strcmp(profile->pairs[i].transport, transport) == 0) return &profile->pairs[i];
    return NULL;
}

const sup_kernel_profile *sup_profile_kernel(const sup_profile *profile, const char *name) {
    for (size_t i = 0; i < profile->kernels_count; i++)
        if (strcmp(profile->kernels[i].name, name) == 0) return &profile->kernels[i];
    return NULL;
}

/* The profile of a measurement before, while and after it is made: what may be overwritten, what can be gone on with,
 * and a folder beside it for what processes hand over. */
#include "cli/measure.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int out_of_memory(const sup_measuring *m) { return sup_cli_fail(m->verb, SUP_EXIT_SYSTEM, "out of memory"); }

int sup_cli_check_out(const char *verb, const char *path, bool force) {
    struct stat stat_buf;
    if (!*path) return sup_cli_usage(verb, "--out: the name is empty");
    if (stat(path, &stat_buf)) {
        if (errno == ENOENT) return 0;
        return sup_cli_fail(verb, SUP_EXIT_FILE, "%s: %s", path, strerror(errno));
    }
    if (S_ISDIR(stat_buf.st_mode)) return sup_cli_fail(verb, SUP_EXIT_FILE, "%s is a folder", path);
    if (!S_ISREG(stat_buf.st_mode)) return sup_cli_fail(verb, SUP_EXIT_FILE, "%s is not a plain file", path);
    if (!force) return sup_cli_fail(verb, SUP_EXIT_FILE, "%s exists; --force replaces it", path);
    return 0;
}

/* A folder beside the file: if it cannot be made, neither can the file, and that is known before anything is measured.
 */
int sup_measuring_folder(sup_measuring *m) {
    const char *slash = strrchr(m->out, '/');
    int length = slash ? (int)(slash - m->out) + 1 : 0;
    if (snprintf(m->folder, sizeof m->folder, "%.*s.superstep-XXXXXX", length, m->out) >= (int)sizeof m->folder) {
        m->folder[0] = 0;
        return sup_cli_fail(m->verb, SUP_EXIT_FILE, "%.64s…: the name is too long", m->out);
    }
    if (mkdtemp(m->folder)) return 0;
    int code = sup_cli_fail(m->verb, SUP_EXIT_FILE, "cannot write in \"%.*s\": %s", slash ? length : 1,
                            slash ? m->out : ".", strerror(errno));
    m->folder[0] = 0;
    return code;
}

int sup_measuring_check(sup_measuring *m) {
    struct stat stat_buf;
    bool resumes = m->file && m->resume && stat(m->file, &stat_buf) == 0;
    if (m->file && !resumes) {
        int code = sup_cli_check_out(m->verb, m->file, true);
        if (code) return code;
        if (!m->force && stat(m->file, &stat_buf) == 0)
            return sup_cli_fail(m->verb, SUP_EXIT_FILE, "%s exists; --force replaces it, --resume goes on with it",
                                m->file);
    }
    if (resumes) {
        sup_diag diag;
        if (sup_profile_read(m->file, false, &diag, &m->profile)) return sup_cli_fail_diag(m->verb, &diag);
        if (!m->processes) m->processes = (int)m->profile->signature.processes;
    }
    return 0;
}

const char *sup_measuring_path(const char *folder, const char *name, char path[SUP_MEASURE_PATH]) {
    snprintf(path, SUP_MEASURE_PATH, "%s/%s", folder, name);
    return path;
}

void sup_measuring_remove(const sup_measuring *m, bool all) {
    static const char *const names[] = {SUP_MEASURE_IN,  SUP_MEASURE_LAUNCHES, /* which a launch finds */
                                        SUP_MEASURE_OUT, SUP_MEASURE_NOTES,    SUP_MEASURE_PROGRESS, SUP_MEASURE_STOP,
                                        SUP_MEASURE_LOG, SUP_MEASURE_TRACE,    SUP_MEASURE_WHY};
    char path[SUP_MEASURE_PATH];
    for (size_t i = all ? 0 : 2; i < sizeof names / sizeof names[0]; i++)
        unlink(sup_measuring_path(m->folder, names[i], path));
}

void sup_measuring_sweep(sup_measuring *m) {
    if (!m->folder[0]) return;
    sup_measuring_remove(m, true);
    rmdir(m->folder);
    m->folder[0] = 0;
}

/* ---- the profile ---- */

static sup_status describe(const sup_measuring *m, sup_origin *origin) {
    return sup_origin_set(origin, m->topology, &m->policy, &m->placement, m->net_count ? m->net[0] : "self");
}

/* A profile of another machine, or of other processes, cannot be gone on with. Transports may be added. */
static int match(sup_measuring *m) {
    sup_origin here;
    sup_diag diag = {0};
    sup_record_init(&sup_origin_record, &here);
    if (describe(m, &here)) {
        sup_record_clear(&sup_origin_record, &here);
        return out_of_memory(m);
    }
    sup_record_set_string(&here.transport, m->profile->signature.transport);
    sup_status status = sup_origin_match(&m->profile->signature, &here, 0, &diag);
    sup_record_clear(&sup_origin_record, &here);
    if (!status) return 0;
    return sup_cli_fail(m->verb, SUP_EXIT_MISMATCH, "%s: cannot be gone on with: %s", m->file, diag.text);
}

/* ---- going on ---- */

/* Is a warning of the last time about what is measured again now, and will then be said again if it is still so? */
static bool said_anew(const sup_measuring *m, const sup_warning *w) {
    if (sup_warning_in(w, "run") || (sup_warning_in(w, "kernels") && m->comp)) return true;
    for (int i = 0; i < m->net_count; i++)
        if (!m->net_done[i] && sup_warning_over(w, m->net[i])) return true;
    return false;
}

/* What was said about the machine remains true of what was measured then; of several of a kind the last is kept. */
static bool said_later(const sup_quality *q, size_t at) {
    for (size_t i = at + 1; i < q->warnings_count; i++)
        if (!strcmp(q->warnings[i].code, q->warnings[at].code)) return true;
    return false;
}

static sup_status age_warnings(sup_measuring *m) {
    sup_quality *q = m->profile->quality;
    sup_status status = SUP_OK;
    for (size_t i = 0; q && i < q->warnings_count && !status;) {
        sup_warning *w = &q->warnings[i];
        bool machine = sup_warning_in(w, "machine");
        if (machine ? said_later(q, i) : said_anew(m, w)) {
            sup_warning_drop(q->warnings, &q->warnings_count, i);
            continue;
        }
        if (machine) status = sup_warning_age(w);
        i++;
    }
    return status;
}

/* Measured already, and to the end? */
static bool has_net(const sup_profile *profile, const char *net) {
    const sup_quality *q = profile->quality;
    for (size_t i = 0; q && i < q->warnings_count; i++) {
        const sup_warning_kind *kind = sup_warning_kind_of(&q->warnings[i]);
        if (kind && kind->unfinished && sup_warning_over(&q->warnings[i], net)) return false;
    }
    const sup_pairs *pairs = sup_profile_pairs(profile, net);
    bool channel = false;
    for (size_t i = 0; i < profile->channels_count; i++) channel |= !strcmp(profile->channels[i].transport, net);
    for (size_t i = 0; pairs && i < pairs->classes_count; i++)
        if (pairs->classes[i].latency_s && !pairs->classes[i].time_s) return false;
    return pairs && channel;
}

int sup_measuring_begin(sup_measuring *m) {
    sup_diag diag;
    if (m->profile) {
        int code = match(m);
        for (int i = 0; i < m->net_count; i++) m->net_done[i] = has_net(m->profile, m->net[i]);
        if (!code && age_warnings(m)) code = out_of_memory(m);
        return code;
    }
    if (sup_profile_new(-1, &diag, &m->profile)) return sup_cli_fail_diag(m->verb, &diag);
    return describe(m, &m->profile->signature) ? out_of_memory(m) : 0;
}

int sup_measuring_save(sup_measuring *m) {
    sup_diag diag;
    if (!m->file) return 0;
    if (sup_profile_write(m->profile, m->file, &diag)) return sup_cli_fail_diag(m->verb, &diag);
    return 0;
}

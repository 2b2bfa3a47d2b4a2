/* Hosts of a run, and how many processes each takes. The text form is that of other launchers' host files:
 *
 *     # comment
 *     node1 slots=16
 *     node2:8
 *     node3              one slot
 *
 * A name that comes again adds its slots (batch systems write a line per slot). */
#ifndef SUP_MACHINE_PLACE_HOSTS_H
#define SUP_MACHINE_PLACE_HOSTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define SUP_SLOTS_MAX (1 << 20)

typedef struct sup_host {
    char name[256];
    int slots;
} sup_host;

typedef struct sup_hosts {
    int count;
    sup_host *at;
} sup_hosts;

/* name is what diagnostics call the text. SUP_EPARSE with line and reason; a list without a host is an error. */
sup_status sup_hosts_parse(const char *name, const char *text, size_t length, sup_diag *diag, sup_hosts *out);
sup_status sup_hosts_load(const char *path, sup_diag *diag, sup_hosts *out);
void sup_hosts_free(sup_hosts *hosts);

/* Is it a name of this machine? */
bool sup_host_is_here(const char *name);

/* Host of each of `processes`, in host_of. block fills the slots of a host before the next; cyclic deals one process to
 * each host that has a slot free. When all slots are taken both start again; *wrapped says so. */
sup_status sup_hosts_assign(const sup_hosts *hosts, int processes, bool cyclic, int *host_of, bool *wrapped);

#endif

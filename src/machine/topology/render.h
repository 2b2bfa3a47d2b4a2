/* A topology for people (a tree) and for programs (JSON, schema version 1, documented in superstep-topo(1)). */
#ifndef SUP_MACHINE_TOPOLOGY_RENDER_H
#define SUP_MACHINE_TOPOLOGY_RENDER_H

#include "machine/place/placement.h"
#include "machine/topology/topology.h"
#include "machine/usable.h"

#include <stdio.h>

/* What to show besides the machine; members may be NULL. policy and placement go together. */
typedef struct sup_view {
    const sup_topology *topology;
    const sup_usable *usable;
    const sup_hosts *hosts;
    const sup_policy *policy;
    const sup_placement *placement;
} sup_view;

/* SUP_EIO: writing failed; SUP_ENOMEM. */
sup_status sup_render_text(const sup_view *view, FILE *out);
sup_status sup_render_json(const sup_view *view, FILE *out);

#endif

/* Opening a transport by name, and the few calls that are the same on every transport. */
#include "net/net.h"

#include "net/inside.h"
#include "net/shm/shm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef sup_status open_fn(const sup_launch *launch, sup_diag *diag, sup_net **out);

static const struct {
    const char *name;
    open_fn *open;
} builtin[] = {
    {"self", sup_self_open},
    {"shm", sup_shm_open},
};

static const char *resolve_auto(const sup_launch *launch) {
    if (strcmp(launch->net, "auto") != 0 && launch->net[0]) return launch->net;
    return launch->segment_fd >= 0 ? "shm" : "self";
}

static sup_status open_named(const sup_launch *launch, sup_diag *diag, sup_net **out) {
    const char *name = resolve_auto(launch);
    for (size_t i = 0; i < sizeof builtin / sizeof builtin[0]; i++)
        if (!strcmp(name, builtin[i].name)) return builtin[i].open(launch, diag, out);
    const sup_net_plugin *plugin;
    sup_status st = sup_net_plugin_find(name, diag, &plugin);
    if (!st) st = plugin->open(launch, diag, out);
    if (!st) sup_net_inside_open(*out, launch);
    return st;
}

sup_status sup_net_open(const sup_launch *launch, sup_diag *diag, sup_net **out) {
    if (launch->refused) return sup_diag_set(diag, SUP_EPERM, NULL, 0, "%s", sup_launch_refusal);
    sup_status st = open_named(launch, diag, out);
    if (!st && launch->notice_fd > 0 && write(launch->notice_fd, "o", 1) < 0) return SUP_OK; /* nobody wants to know */
    return st;
}

void sup_net_close(sup_net *net) {
    if (net) net->ops->close(net);
}

sup_status sup_net_wait(sup_net *net, sup_net_req *req) { return sup_net_wait_watching(net, req, NULL, NULL); }

sup_status sup_net_wait_watching(sup_net *net, sup_net_req *req, sup_status (*over)(void *context), void *context) {
    sup_wait w = SUP_WAIT_INIT, moving = SUP_WAIT_INIT;
    sup_status st;
    while (!(st = sup_net_test(net, req)) && !req->done) {
        if (over && (w.slow || moving.slow) && (st = over(context))) break;
        if (req->unrung)
            sup_wait_pause(&moving, &net->unrung, NULL); /* asleep, the library would not move it on */
        else
            sup_net_pause(net, &w);
    }
    sup_net_waited(net, &w);
    sup_wait_end(&moving, &net->unrung, NULL);
    return st;
}

sup_status sup_net_wait_all(sup_net *net, sup_net_req *reqs, int count) {
    sup_status first = SUP_OK;
    for (int i = 0; i < count; i++) {
        sup_status st = sup_net_wait(net, &reqs[i]);
        if (st && !first) first = st;
    }
    return first;
}

void sup_net_abort(sup_net *net, int code) {
    net->ops->abort(net, code);
    abort(); /* a transport's abort does not come back */
}

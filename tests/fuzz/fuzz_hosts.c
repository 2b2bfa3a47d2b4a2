/* Lists of hosts: what is taken has names that are safe to give to a remote shell, and is read back the same from what
 * it is written as. */
#include "fuzz.h"

#include "machine/place/hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool parse(const void *data, size_t size, sup_hosts *hosts) {
    sup_diag diag;
    sup_status status = sup_hosts_parse("fuzz", data, size, &diag, hosts);
    if (status) FUZZ_REQUIRE(diag.status == status && !strpbrk(diag.text, "\n\r\t\x1b"));
    return status == SUP_OK;
}

static void assign(const sup_hosts *hosts, bool cyclic) {
    int host_of[50];
    bool wrapped;
    FUZZ_REQUIRE(sup_hosts_assign(hosts, 50, cyclic, host_of, &wrapped) == SUP_OK);
    for (int i = 0; i < 50; i++) FUZZ_REQUIRE(host_of[i] >= 0 && host_of[i] < hosts->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_hosts hosts, again;
    if (!parse(data, size, &hosts)) return 0;
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    FUZZ_REQUIRE(f && hosts.count > 0);
    for (int i = 0; i < hosts.count; i++) {
        const sup_host *h = &hosts.at[i];
        FUZZ_REQUIRE(h->slots >= 1 && h->slots <= SUP_SLOTS_MAX && h->name[0] && h->name[0] != '-');
        FUZZ_REQUIRE(!strpbrk(h->name, " \t\r\n;&|<>$`\\\"'*?(){}!#~"));
        fprintf(f, "%s slots=%d\n", h->name, h->slots);
    }
    fclose(f);
    FUZZ_REQUIRE(parse(text, length, &again) && again.count == hosts.count);
    for (int i = 0; i < hosts.count; i++)
        FUZZ_REQUIRE(!strcmp(again.at[i].name, hosts.at[i].name) && again.at[i].slots == hosts.at[i].slots);
    assign(&hosts, false);
    assign(&hosts, true);
    free(text);
    sup_hosts_free(&again);
    sup_hosts_free(&hosts);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_hosts hosts;
    if (!parse(data, size, &hosts)) return false;
    sup_hosts_free(&hosts);
    return true;
}

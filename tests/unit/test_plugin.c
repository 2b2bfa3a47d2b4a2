/* The loader of transports: where it looks, and what it says when it finds nothing, or the wrong thing. */
#include "net/net.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const sup_net_plugin *plugin;

static void names_are_checked(void **state) {
    (void)state;
    sup_diag diag = {0};
    assert_int_equal(sup_net_plugin_find("../../etc/x", &diag, &plugin), SUP_EINVAL);
    assert_non_null(strstr(diag.text, "../../etc/x"));
    assert_int_equal(sup_net_plugin_find("", NULL, &plugin), SUP_EINVAL);
}

static void places_are_named(void **state) {
    (void)state;
    sup_diag diag = {0};
    setenv("SUPERSTEP_PLUGIN_PATH", "/nowhere/a::/nowhere/b", 1);
    assert_int_equal(sup_net_plugin_find("absent", &diag, &plugin), SUP_ENOTSUP);
    assert_non_null(strstr(diag.text, "superstep-net-absent.so"));
    assert_non_null(strstr(diag.text, "/nowhere/a, /nowhere/b, "));
    unsetenv("SUPERSTEP_PLUGIN_PATH");
}

/* A path list longer than any diagnosis is cut, not overrun. */
static void long_lists_are_cut(void **state) {
    (void)state;
    sup_diag diag = {0};
    char list[6000] = "";
    for (int i = 0; i < 200; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "/nowhere/%d/long/name:", i);
    setenv("SUPERSTEP_PLUGIN_PATH", list, 1);
    assert_int_equal(sup_net_plugin_find("absent", &diag, &plugin), SUP_ENOTSUP);
    assert_true(strlen(diag.text) < sizeof diag.text);
    assert_non_null(strstr(diag.text, "..."));
    unsetenv("SUPERSTEP_PLUGIN_PATH");
}

static void other_files_are_refused(void **state) {
    (void)state;
    sup_diag diag = {0};
    char folder[] = "/tmp/sup_plugin.XXXXXX", file[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/superstep-net-junk.so", folder);
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    fputs("this is no library\n", out);
    fclose(out);
    setenv("SUPERSTEP_PLUGIN_PATH", folder, 1);
    sup_status st = sup_net_plugin_find("junk", &diag, &plugin);
    unsetenv("SUPERSTEP_PLUGIN_PATH");
    unlink(file);
    rmdir(folder);
    assert_int_equal(st, SUP_ENOTSUP);
    assert_non_null(strstr(diag.text, "superstep-net-junk.so"));
}

/* tests/net/fake_plugin.c, built as plug-ins that are not what their name says. */
static void impostors_are_refused(void **state) {
    (void)state;
    sup_diag diag = {0};
    setenv("SUPERSTEP_PLUGIN_PATH", SUP_FAKE_PLUGINS, 1);
    assert_int_equal(sup_net_plugin_find("fakeold", &diag, &plugin), SUP_EMISMATCH);
    assert_non_null(strstr(diag.text, "version 999"));
    assert_int_equal(sup_net_plugin_find("fakename", &diag, &plugin), SUP_EMISMATCH);
    assert_non_null(strstr(diag.text, "'other'"));
    assert_int_equal(sup_net_plugin_find("fakeempty", &diag, &plugin), SUP_EMISMATCH);
    assert_non_null(strstr(diag.text, "no sup_net_plugin"));
    plugin = NULL;
    assert_int_equal(sup_net_plugin_find("fakegood", &diag, &plugin), SUP_OK);
    assert_non_null(plugin);
    assert_string_equal(plugin->library_version, "none");
    unsetenv("SUPERSTEP_PLUGIN_PATH");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked),     cmocka_unit_test(places_are_named),
        cmocka_unit_test(long_lists_are_cut),    cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(impostors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

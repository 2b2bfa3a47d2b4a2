/* The loader of transports: where it looks, and what it says when it finds nothing, or the wrong thing. */
#include "net/net.h"
#include "net/trust.h"

#include <grp.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- who could have put it there: folder/upper/lower/file, and a link beside it ---- */

static char folder[] = "/tmp/sup_trust.XXXXXX", upper[64], lower[80], file[96], junction[96];

static int make_tree(void **state) {
    (void)state;
    memcpy(folder, "/tmp/sup_trust.XXXXXX", sizeof folder);
    if (!mkdtemp(folder)) return -1;
    snprintf(upper, sizeof upper, "%s/upper", folder);
    snprintf(lower, sizeof lower, "%s/lower", upper);
    snprintf(file, sizeof file, "%s/superstep-net-fakegood.so", lower);
    snprintf(junction, sizeof junction, "%s/superstep-net-linked.so", folder);
    FILE *out = NULL;
    int bad = mkdir(upper, 0755) || mkdir(lower, 0755) || !(out = fopen(file, "w")) || symlink(file, junction);
    if (out) bad |= fclose(out);
    return bad | chmod(file, 0644);
}

static int remove_tree(void **state) {
    (void)state;
    if (unlink(junction) || unlink(file) || rmdir(lower) || rmdir(upper) || rmdir(folder)) return -1;
    return 0;
}

static bool trusted(const char *path, const char *reason, uid_t also) {
    sup_diag diag = {0};
    char real[PATH_MAX] = "";
    sup_status status = sup_trust_file(path, also, &diag, real);
    if (!status) {
        assert_string_equal(real, file);
        return true;
    }
    assert_int_equal(status, SUP_EPERM);
    if (!reason || !strstr(diag.text, reason)) fail_msg("%s refused for: %s", path, diag.text);
    assert_non_null(strstr(diag.text, path));
    return false;
}

static const uid_t nobody_else = (uid_t)-1;

static void set_mode(const char *path, mode_t mode) { assert_int_equal(chmod(path, mode), 0); }

static void what_others_can_write_is_refused(void **state) {
    (void)state;
    sup_diag diag = {0};
    char real[PATH_MAX];
    assert_true(trusted(file, NULL, nobody_else));
    assert_true(trusted(junction, NULL, nobody_else));
    assert_int_equal(sup_trust_file("/nowhere/at/all", nobody_else, &diag, real), SUP_ENOENT);
    set_mode(file, 0646);
    assert_false(trusted(file, "written by others (mode 0646)", nobody_else));
    set_mode(file, 0644);
    set_mode(lower, 0777);
    assert_false(trusted(file, lower, nobody_else));
    assert_false(trusted(junction, lower, nobody_else)); /* through a link as well */
    set_mode(lower, 01777);
    assert_false(trusted(file, lower, nobody_else)); /* others could add a link of that name */
    set_mode(lower, 0755);
    set_mode(upper, 0777);
    assert_false(trusted(file, upper, nobody_else));
    set_mode(upper, 01777);
    assert_true(trusted(file, NULL, nobody_else)); /* as /tmp is */
    set_mode(upper, 0755);
    set_mode(folder, 0777);
    assert_false(trusted(junction, folder, nobody_else)); /* the link is others' to change, though not the file */
    set_mode(folder, 0700);
    assert_true(trusted(file, NULL, nobody_else));
    assert_int_equal(sup_trust_file(lower, nobody_else, &diag, real), SUP_EPERM);
    assert_non_null(strstr(diag.text, "no plain file"));
}

static void nothing_refused_is_loaded(void **state) {
    (void)state;
    sup_diag diag = {0};
    char wanted[200];
    set_mode(lower, 0777);
    setenv("SUPERSTEP_PLUGIN_PATH", lower, 1);
    assert_int_equal(sup_net_plugin_find("fakegood", &diag, &plugin), SUP_EPERM);
    unsetenv("SUPERSTEP_PLUGIN_PATH");
    set_mode(lower, 0755);
    snprintf(wanted, sizeof wanted, "the folder %s can be written by others (mode 0777), so %s is not loaded", lower,
             file);
    assert_string_equal(diag.text, wanted);
}

static void what_others_own_is_refused(void **state) {
    (void)state;
    const uid_t other = 65534;
    if (geteuid() != 0) skip();
    assert_int_equal(chown(file, other, 0), 0);
    assert_false(trusted(file, "belongs to user 65534", nobody_else));
    assert_true(trusted(file, NULL, other));
    assert_int_equal(chown(file, 0, 0) | chown(upper, other, 0), 0);
    assert_false(trusted(file, "belongs to user 65534", nobody_else));
    assert_false(trusted(junction, "belongs to user 65534", nobody_else));
    assert_int_equal(chown(upper, 0, 0), 0);
    assert_true(trusted(file, NULL, nobody_else));
    /* what root and the caller own is good for a caller who is not root, what others own is not */
    set_mode(folder, 0755);
    assert_int_equal(chown(file, other, other), 0);
    assert_int_equal(seteuid(other), 0);
    bool own = trusted(file, NULL, nobody_else);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(seteuid(1), 0);
    bool others = trusted(file, "belongs to user 65534", nobody_else);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(chown(file, 0, 0), 0);
    set_mode(folder, 0700);
    assert_true(own);
    assert_false(others);
}

/* A distribution that gives each user his group has him create everything writable for it. */
static void groups_are_looked_into(void **state) {
    (void)state;
    const struct passwd *p = getpwnam("daemon");
    if (geteuid() != 0 || !p || getgrgid(54321)) skip();
    uid_t user = p->pw_uid;
    gid_t own = p->pw_gid;
    struct group *g = getgrgid(own);
    if (!g || g->gr_mem[0]) skip();
    setpwent();
    while ((p = getpwent()))
        if (p->pw_gid == own && p->pw_uid != user) skip();
    endpwent();
    set_mode(folder, 0755);
    assert_int_equal(chown(lower, user, own) | chown(file, user, own), 0);
    set_mode(lower, 02775);
    set_mode(file, 0664);
    assert_int_equal(seteuid(user), 0);
    bool alone = trusted(file, NULL, nobody_else);
    assert_int_equal(seteuid(0), 0);
    bool another = trusted(file, "written by others (mode 2775)", user);
    assert_int_equal(chown(lower, user, 54321), 0); /* of whom nothing is known */
    set_mode(lower, 0775);
    assert_int_equal(seteuid(user), 0);
    bool unknown = trusted(file, "written by others (mode 0775)", nobody_else);
    assert_int_equal(seteuid(0), 0);
    assert_true(alone);
    assert_false(another);
    assert_false(unknown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(places_are_named),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(impostors_are_refused),
        cmocka_unit_test_setup_teardown(what_others_can_write_is_refused, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(nothing_refused_is_loaded, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(what_others_own_is_refused, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(groups_are_looked_into, make_tree, remove_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The processes below this one, found in /proc.
 *
 * A process group would not do: to take the ranks out of the terminal's foreground group would take stdin from rank 0,
 * and a grandchild may have left the group anyway. The monitor is a subreaper instead (PR_SET_CHILD_SUBREAPER), so
 * whoever is orphaned stays below it. */
#include "net/launch/monitor_tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct node {
    pid_t pid, parent;
    bool zombie, below;
    char name[16]; /* as the system has it, which is cut */
} node;

typedef struct list {
    node *nodes;
    size_t count, cap;
} list;

/* "pid (name) S ppid …": the name may hold anything, so look from the last parenthesis. */
static bool read_node(const char *pid, node *out) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return false;
    text[n] = 0;
    const char *at = strrchr(text, ')');
    char state;
    int parent;
    if (!at || sscanf(at + 1, " %c %d", &state, &parent) != 2) return false;
    *out = (node){.pid = atoi(pid), .parent = parent, .zombie = state == 'Z' || state == 'X'};
    const char *name = strchr(text, '(');
    snprintf(out->name, sizeof out->name, "%.*s", name < at ? (int)(at - name - 1) : 0, name ? name + 1 : "");
    return true;
}

static list read_all(void) {
    list l = {0};
    DIR *dir = opendir("/proc");
    if (!dir) return l;
    for (struct dirent *e; (e = readdir(dir));) {
        node n;
        if (!isdigit((unsigned char)e->d_name[0]) || !read_node(e->d_name, &n)) continue;
        if (l.count == l.cap) {
            size_t cap = l.cap ? 2 * l.cap : 256;
            node *nodes = realloc(l.nodes, cap * sizeof *nodes);
            if (!nodes) break;
            l.nodes = nodes;
            l.cap = cap;
        }
        l.nodes[l.count++] = n;
    }
    closedir(dir);
    return l;
}

static bool is_spared(const sup_tree *tree, pid_t pid) {
    for (size_t i = 0; i < tree->spared_count; i++)
        if (tree->spared[i] == pid) return true;
    return false;
}

static bool is_below(const list *l, pid_t pid) {
    for (size_t i = 0; i < l->count; i++)
        if (l->nodes[i].pid == pid) return l->nodes[i].below;
    return false;
}

/* Marks until nothing changes: as many passes as the tree is deep (pids grow downwards, mostly: one or two). */
static void mark(list *l, const sup_tree *tree) {
    pid_t self = getpid();
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < l->count; i++) {
            node *n = &l->nodes[i];
            if (n->below || n->pid == self || is_spared(tree, n->pid)) continue;
            if (n->parent != self && !is_below(l, n->parent)) continue;
            n->below = changed = true;
        }
    }
}

void sup_tree_init(sup_tree *tree) {
    siginfo_t info;
    *tree = (sup_tree){0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) && errno == ECHILD) return;
    list l = read_all();
    pid_t self = getpid();
    for (size_t i = 0; i < l.count; i++) {
        if (l.nodes[i].parent != self) continue;
        pid_t *spared = realloc(tree->spared, (tree->spared_count + 1) * sizeof *spared);
        if (!spared) break;
        tree->spared = spared;
        spared[tree->spared_count++] = l.nodes[i].pid;
    }
    free(l.nodes);
}

void sup_tree_clear(sup_tree *tree) {
    free(tree->spared);
    *tree = (sup_tree){0};
}

size_t sup_tree_signal(const sup_tree *tree, int sig) {
    list l = read_all();
    mark(&l, tree);
    size_t count = 0;
    for (size_t i = 0; i < l.count; i++) {
        if (!l.nodes[i].below || l.nodes[i].zombie) continue;
        count++;
        if (sig) kill(l.nodes[i].pid, sig);
    }
    free(l.nodes);
    return count;
}

bool sup_tree_is_empty(const sup_tree *tree) {
    siginfo_t info;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD) return true;
    return tree->spared_count && !sup_tree_signal(tree, 0);
}

bool sup_tree_has_others(const sup_tree *tree, pid_t pid, const char *const *names) {
    list l = read_all();
    mark(&l, tree);
    bool others = false;
    for (size_t i = 0; i < l.count && !others; i++) {
        const node *n = &l.nodes[i];
        others = n->below && !n->zombie && n->pid != pid;
        for (const char *const *name = names; others && *name; name++) others = strcmp(n->name, *name) != 0;
    }
    free(l.nodes);
    return others;
}

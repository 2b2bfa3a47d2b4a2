/* The delay test over shared memory: delay_shm processes|threads good|MS */
#define _GNU_SOURCE
#include "delay.h"

#include "all.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct memory {
#define X(f) struct f##_shared f##_memory;
    EACH(X)
#undef X
    struct words words;
};

static struct memory *memory;
static int patience;

#define X(f) \
    static void call_##f(int rank) { f(&memory->f##_memory, rank); }
EACH(X)
#undef X

#define X(f) call_##f,
static void (*const calls[])(int rank) = {EACH(X)};
#undef X
#define X(f) #f,
static const char *const names[] = {EACH(X)};
#undef X
enum { FUNCTIONS = sizeof calls / sizeof *calls };
_Static_assert((int)FUNCTIONS <= (int)FUNCTIONS_MAX && (int)FUNCTIONS * PROCESSES * (int)REPEATS <= (int)ROUNDS_MAX,
               "too many");

static void call(void *context, int function, int rank) {
    (void)context;
    calls[function](rank);
}

/* In a broken one a process may be several rounds ahead, which is no trouble: words count. */
static void *one(void *rank) {
    for (int f = 0; f < FUNCTIONS; f++) delay_each(&memory->words, f, PROCESSES, (int)(long)rank, patience, call, NULL);
    return NULL;
}

static int run_threads(void) {
    pthread_t thread[PROCESSES];
    for (long r = 0; r < PROCESSES; r++)
        if (pthread_create(&thread[r], NULL, one, (void *)r)) return 1;
    for (int r = 0; r < PROCESSES; r++) pthread_join(thread[r], NULL);
    return 0;
}

static int run_processes(void) {
    int wrong = 0;
    for (long r = 0; r < PROCESSES; r++) {
        pid_t pid = fork();
        if (pid < 0) return 1;
        if (pid == 0) {
            one((void *)r);
            _exit(0);
        }
    }
    for (int r = 0, status; r < PROCESSES; r++) wrong |= wait(&status) < 0 || status;
    return wrong;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    memory = mmap(NULL, sizeof *memory, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 2;
    patience = patience_of(argv[2]);
    int wrong = strcmp(argv[1], "threads") ? run_processes() : run_threads();
    return wrong | judge(&memory->words, names, FUNCTIONS, patience > 0);
}

/* A program whose processes leave others behind: each starts one in a session of its own and one that nobody's child is
 * any more, says "ready", and waits. bsp_begin(2) parts it if it is run directly. */
#include <bsp.h>
#include <stdio.h>
#include <unistd.h>

static void sleeper(void) {
    setsid();
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(127);
}

int main(void) {
    bsp_begin(2);
    if (fork() == 0) sleeper();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) sleeper();
        _exit(0);
    }
    bsp_sync();
    printf("ready\n");
    fflush(stdout);
    sleep(1000);
    bsp_end();
    return 0;
}

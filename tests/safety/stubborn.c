/* Setuid root, it becomes root wholly: its caller may not send it a signal any more. "up PID"; it ends after a while.
 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    signal(SIGTERM, SIG_IGN);
    if (setresuid(0, 0, 0)) return 1;
    printf("up %d\n", (int)getpid());
    fflush(stdout);
    sleep(100);
    return 0;
}

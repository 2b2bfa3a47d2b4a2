/* The program of bench/start: begins, meets once, ends. */
#include <bsp.h>

int main(void) {
    bsp_begin(bsp_nprocs());
    bsp_sync();
    bsp_end();
    return 0;
}

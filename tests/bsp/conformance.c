/* Every rule of the standard that a program can try without ending the run, in one launch. What ends a run is in
 * misuse.c and start.c. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>

int main(void) {
    bsp_begin(bsp_nprocs());
    topic_enquiry();
    topic_registration();
    topic_put();
    topic_get();
    topic_memory();
    topic_messages();
    topic_widths();
    topic_collectives();
    topic_level1();
    topic_older();
    tap_done();
    bsp_end();
    return 0;
}

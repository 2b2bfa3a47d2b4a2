/* What the launcher of an MPI says itself, beside what it carries of its ranks: shown, but for what is noise. Noise is
 *
 *     banners of an end that a rank has reported already, and errors of the launcher's own that follow from it
 *     how often else a message was sent, messages about messages, and empty lines
 *
 * Where no rank reported anything the first kind is all there is to know, so it is kept until the end. It is text from
 * outside (base/text.h). Used by the monitor alone. */
#ifndef SUP_NET_LAUNCH_MONITOR_SAID_H
#define SUP_NET_LAUNCH_MONITOR_SAID_H

#include <stdbool.h>
#include <stddef.h>

/* Zero is a launcher that has said nothing. */
typedef struct sup_said {
    char *banner; /* between two lines of "-----", or of "=====", so far; NULL: we are in none */
    int lines;    /* … of it */
    char *kept;   /* until the end; NULL nothing */
    bool spoken;  /* something was shown */
} sup_said;

/* Takes a line without its end. Returns what is to be shown now, to be freed; NULL nothing. */
char *sup_said_hear(sup_said *said, const char *line);

/* At the end: what is still to be shown, to be freed; NULL nothing. explained: somebody else has said what happened. */
char *sup_said_rest(sup_said *said, bool explained);
void sup_said_free(sup_said *said);

#endif

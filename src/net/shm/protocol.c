/* By which protocol a long message over shared memory is moved (shm/net.h: SHM_BY_…). Term Tcomm.
 *
 * Which one is quickest depends on the machine (one copy, but the kernel pins pages), on the sender (all but one need
 * it to make progress) and on the size, so it is learned, per sender and half octave of the size. It must also
 * stay put: a transport whose times depend on what it happened to learn can be neither measured nor predicted. So
 *
 *   - each is tried with four messages in a row, because the first finds the data in the wrong caches; what counts
 *     is the quickest, because interruptions only ever add;
 *   - another one takes over only if it is quicker by a tenth, so that those that are equal do not alternate from
 *     message to message, nor from run to run: the first in the table keeps its place;
 *   - the others get another chance, again with four messages, ever more rarely: after 128, 256, 512, … messages, at
 *     last every 2048;
 *   - what is known of the usual one follows slowly, by no more than a sixteenth with a message however long that took;
 *     once it is slower by two fifths, the ends do something else than before (both send, or the sender computes), and
 *     everything is tried anew. */
#include "base/clock.h"
#include "net/shm/net.h"

#include <math.h>

enum { ROW = 4, TRIES = ROW * SHM_PROTOCOLS, FIRST_AGAIN = 128, LAST_AGAIN = 2048, FORGETS = 64, FIRST_OCTAVE = 14 };
#define QUICKER 0.9f /* of the time of the usual one */
#define FOLLOWS 0.0625f
#define SLOWER 1.4f

_Static_assert(SHM_FRAGMENT == 1 << FIRST_OCTAVE, "long messages begin with the first class of sizes");

/* [16 K, 24 K), [24 K, 32 K), [32 K, 48 K), …; the last class has all that is longer. */
static shm_habit *habit_of(shm_peer *p, size_t len) {
    int octave = 63 - __builtin_clzll((unsigned long long)len);
    int class = 2 * (octave - FIRST_OCTAVE) + (int)(len >> (octave - 1) & 1);
    return &p->habits[class < SHM_HABITS ? class : SHM_HABITS - 1];
}

int shm_choose_protocol(shm_net *n, shm_peer *p, size_t len) {
    if (!n->use_cma) return SHM_BY_STREAM;
    shm_habit *h = habit_of(p, len);
    unsigned k = h->seen++;
    if (k < TRIES) return (int)(k / ROW);
    if (h->again == 0) h->again = FIRST_AGAIN;
    if (k < h->again) return h->protocol;
    if (k == h->again) {
        h->turn = (unsigned char)((h->turn + 1) % SHM_PROTOCOLS);
        if (h->turn == h->protocol) h->turn = (unsigned char)((h->turn + 1) % SHM_PROTOCOLS);
    }
    if (k + 1 >= h->again + ROW) h->again += h->again < LAST_AGAIN ? h->again : LAST_AGAIN;
    return h->turn;
}

void shm_learn_protocol(shm_peer *p, int protocol, double start, size_t len) {
    shm_habit *h = habit_of(p, len);
    float now = (float)((sup_clock_now() - start) / (double)len), *cost = &h->cost[protocol];
    *cost = *cost == 0.0f || now < *cost ? now : *cost + FOLLOWS * fminf(now - *cost, *cost);
    if (protocol == h->protocol && h->seen > TRIES) {
        if (*cost > SLOWER * h->usual && h->seen >= FORGETS) *h = (shm_habit){.protocol = h->protocol};
        return;
    }
    if (h->seen < TRIES) return;
    for (int other = 0; other < SHM_PROTOCOLS; other++)
        if (h->cost[other] > 0.0f && h->cost[other] < QUICKER * h->cost[h->protocol])
            h->protocol = (unsigned char)other;
    h->usual = h->cost[h->protocol];
}

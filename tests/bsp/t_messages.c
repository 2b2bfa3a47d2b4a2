/* Bulk synchronous message passing: tag size, sending, the queue, and the two ways of taking messages from it. */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int right(void) { return (bsp_pid() + 1) % bsp_nprocs(); }
static int left(void) { return (bsp_pid() + bsp_nprocs() - 1) % bsp_nprocs(); }

static int set_tagsize(int n) {
    bsp_set_tagsize(&n);
    return n;
}

static int packets(void) {
    int n, nbytes;
    bsp_qsize(&n, &nbytes);
    return n;
}

static int payload_bytes(void) {
    int n, nbytes;
    bsp_qsize(&n, &nbytes);
    return nbytes;
}

static void tag_size(void) {
    int status = 0;
    unsigned char tag[8], payload = 5;

    RULE("the tag size is zero at first");
    memset(tag, 0x77, sizeof tag);
    bsp_send(right(), tag, &payload, 1);
    bsp_sync();
    memset(tag, 0x11, sizeof tag);
    bsp_get_tag(&status, tag);
    EXPECT(status == 1 && tag[0] == 0x11);

    RULE("bsp_set_tagsize gives back the tag size that it replaces");
    EXPECT(set_tagsize(4) == 0);
    bsp_sync();
    EXPECT(set_tagsize(8) == 4);

    RULE("called again in the same superstep it gives back the size that was to be, and the last one counts");
    EXPECT(set_tagsize(2) == 8 && set_tagsize(16) == 2 && set_tagsize(8) == 16);

    RULE("a new tag size holds for messages sent from the next superstep on");
    memset(tag, 0x22, sizeof tag);
    bsp_send(right(), tag, &payload, 1); /* still with 4 bytes */
    bsp_sync();
    memset(tag, 0x11, sizeof tag);
    bsp_get_tag(&status, tag);
    EXPECT(tag[0] == 0x22 && tag[3] == 0x22 && tag[4] == 0x11);
    memset(tag, 0x33, sizeof tag);
    bsp_send(right(), tag, &payload, 1);
    EXPECT(set_tagsize(0) == 8);
    bsp_sync();
    bsp_get_tag(&status, tag);
    EXPECT(status == 1 && tag[7] == 0x33);

    RULE("with tag size zero a tag of NULL will do, and get_tag writes none");
    bsp_send(right(), NULL, &payload, 1);
    bsp_sync();
    bsp_get_tag(&status, NULL);
    EXPECT(status == 1);
    bsp_sync();
}

static void queue_rules(void) {
    int status = 5, tag = 0, x = 0;

    RULE("the queue holds the messages of the last superstep only; those not read are dropped at the next sync");
    set_tagsize(sizeof tag);
    bsp_sync();
    EXPECT(packets() == 0 && payload_bytes() == 0);
    for (int i = 0; i < 3; i++) bsp_send(right(), &i, &i, sizeof i);
    EXPECT(packets() == 0);
    bsp_sync();
    EXPECT(packets() == 3 && payload_bytes() == 3 * (int)sizeof(int));
    bsp_sync();
    EXPECT(packets() == 0);

    RULE("bsp_qsize counts the messages that are left, and the bytes of their payloads");
    for (int i = 0; i < 5; i++) bsp_send(right(), &i, &i, i == 0 ? 0 : sizeof i);
    bsp_sync();
    int left_over = 5, bytes = 4 * (int)sizeof(int);
    EXPECT(packets() == left_over && payload_bytes() == bytes);
    while (packets() > 0) {
        bsp_get_tag(&status, &tag);
        EXPECT(status == (tag == 0 ? 0 : (int)sizeof(int)));
        bsp_move(&x, sizeof x);
        left_over--, bytes -= status;
        EXPECT(packets() == left_over && payload_bytes() == bytes);
    }

    RULE("bsp_get_tag gives -1 and leaves the tag alone where the queue is empty; bsp_hpmove gives -1");
    void *a, *b;
    tag = 1234;
    bsp_get_tag(&status, &tag);
    EXPECT(status == -1 && tag == 1234);
    EXPECT(bsp_hpmove(&a, &b) == -1);

    RULE("bsp_get_tag does not remove the message");
    tag = 42;
    bsp_send(right(), &tag, &tag, sizeof tag);
    bsp_sync();
    for (int i = 0; i < 3; i++) {
        tag = 0;
        bsp_get_tag(&status, &tag);
        EXPECT(status == sizeof tag && tag == 42 && packets() == 1);
    }

    RULE("a message sent in a superstep is not seen in it, though another queue is being read");
    bsp_send(bsp_pid(), &tag, NULL, 0);
    EXPECT(packets() == 1);
    bsp_move(&x, sizeof x);
    EXPECT(x == 42 && packets() == 0);
    bsp_sync();
    EXPECT(packets() == 1 && payload_bytes() == 0);
    bsp_move(NULL, 0);
    EXPECT(packets() == 0);
    set_tagsize(0);
    bsp_sync();
}

static void moving(void) {
    char text[] = "superstep", room[32];
    int status;

    RULE("tag and payload may be changed as soon as bsp_send returns");
    set_tagsize(1);
    bsp_sync();
    bsp_send(right(), text, text, sizeof text);
    memset(text, '!', sizeof text);
    bsp_sync();
    char tag = 0;
    bsp_get_tag(&status, &tag);
    EXPECT(status == sizeof text && tag == 's');
    bsp_move(room, sizeof room);
    EXPECT(strcmp(room, "superstep") == 0);

    RULE("bsp_move cuts the payload off at the room given, and removes the whole message");
    bsp_send(right(), "t", "abcdef", 6);
    bsp_send(right(), "u", "abcdef", 6);
    bsp_send(right(), "v", "abcdef", 6);
    bsp_sync();
    memset(room, '.', sizeof room);
    bsp_move(room, 3);
    EXPECT(memcmp(room, "abc.", 4) == 0);
    bsp_move(room, 0);
    EXPECT(memcmp(room, "abc.", 4) == 0 && packets() == 1);
    bsp_move(room, sizeof room);
    EXPECT(memcmp(room, "abcdef.", 7) == 0 && packets() == 0);

    RULE("bsp_hpmove gives aligned pointers to tag and payload, and the length");
    double values[3] = {1.5, 2.5, 3.5};
    void *tag_at[3], *payload_at[3];
    for (size_t i = 0; i < 3; i++) bsp_send(right(), &"xyz"[i], values, (i + 1) * sizeof *values - i);
    bsp_sync();
    for (int i = 0; i < 3; i++) {
        ptrdiff_t n = bsp_hpmove(&tag_at[i], &payload_at[i]);
        size_t k = (size_t)(*(char *)tag_at[i] - 'x');
        EXPECT(k < 3 && n == (ptrdiff_t)((k + 1) * sizeof *values - k));
        EXPECT((uintptr_t)payload_at[i] % _Alignof(max_align_t) == 0);
        EXPECT((uintptr_t)tag_at[i] % 8 == 0);
        EXPECT(memcmp(payload_at[i], values, (size_t)n) == 0);
    }
    EXPECT(bsp_hpmove(&tag_at[0], &payload_at[0]) == -1);

    RULE("the pointers of bsp_hpmove stay valid to the end of the superstep, also while new messages are sent");
    for (int i = 0; i < 2000; i++) bsp_send(right(), "s", room, sizeof room);
    for (int i = 1; i < 3; i++) EXPECT(*(double *)payload_at[i] == 1.5);
    set_tagsize(0);
    bsp_sync();
    EXPECT(packets() == 2000);
    bsp_sync();
}

static void all_to_all(void) {
    enum { ROUNDS = 50 };
    int p = bsp_nprocs(), wrong = 0, n = 0;
    struct {
        int from, round;
    } tag;
    int *seen = calloc((size_t)p * ROUNDS, sizeof *seen);
    int *payload = malloc(sizeof *payload * 4 * ROUNDS);

    RULE("every message arrives once, whole, from every process to every process");
    set_tagsize(sizeof tag);
    bsp_sync();
    for (int i = 0; i < 4 * ROUNDS; i++) payload[i] = bsp_pid() + i;
    for (int round = 0; round < ROUNDS; round++)
        for (int to = 0; to < p; to++) {
            tag.from = bsp_pid(), tag.round = round;
            bsp_send(to, &tag, payload, sizeof *payload * 4 * (size_t)round);
        }
    set_tagsize(0);
    bsp_sync();
    EXPECT(packets() == p * ROUNDS);
    for (; packets() > 0; n++) {
        void *t, *data;
        ptrdiff_t bytes = bsp_hpmove(&t, &data);
        memcpy(&tag, t, sizeof tag);
        seen[tag.from * ROUNDS + tag.round]++;
        wrong += bytes != (ptrdiff_t)sizeof *payload * 4 * tag.round;
        for (int i = 0; i < 4 * tag.round; i++) wrong += ((int *)data)[i] != tag.from + i;
    }
    for (int i = 0; i < p * ROUNDS; i++) wrong += seen[i] != 1;
    EXPECT(wrong == 0 && n == p * ROUNDS);
    free(seen);
    free(payload);

    RULE("a message may be megabytes long");
    size_t large = 3 * 1000 * 1000 + 1;
    unsigned char *a = malloc(large), *b = calloc(1, large);
    memset(a, 'a' + bsp_pid() % 26, large);
    bsp_send(right(), NULL, a, large);
    memset(a, 0, large);
    bsp_sync();
    bsp_move(b, large);
    EXPECT(b[0] == 'a' + left() % 26 && b[large - 1] == b[0] && memcmp(b, b + 1, large - 1) == 0);
    free(a);
    free(b);
    bsp_sync();
}

static void mixed(void) {
    int a = -1, b = -1, c = bsp_pid(), x = 0;
    RULE("puts, gets and messages of one superstep go together");
    bsp_push_reg(&a, sizeof a);
    bsp_push_reg(&c, sizeof c);
    bsp_sync();
    x = bsp_pid() + 10;
    bsp_put(right(), &x, &a, 0, sizeof x);
    bsp_get(right(), &c, 0, &b, sizeof b);
    x = bsp_pid() + 20;
    bsp_send(right(), NULL, &x, sizeof x);
    bsp_pop_reg(&c);
    bsp_pop_reg(&a);
    bsp_sync();
    bsp_move(&x, sizeof x);
    EXPECT(a == left() + 10 && b == right() && x == left() + 20);
    bsp_sync();
}

void topic_messages(void) {
    tag_size();
    queue_rules();
    moving();
    all_to_all();
    mixed();
}

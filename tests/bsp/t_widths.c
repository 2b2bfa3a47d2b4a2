/* Programs of all ages: the types that hold tag sizes, queue lengths and message lengths, and functions used as values.
 */
#include "tap.h"
#include "topics.h"

#include <bsp.h>
#include <stdint.h>

static void one_message(void) {
    int tag = 3;
    bsp_send(bsp_pid(), &tag, "abcde", 5);
    bsp_sync();
}

void topic_widths(void) {
    int i = sizeof(int), tag = 0, n_int = 0;
    unsigned u = 0;
    size_t z = 0;
    long l = 0;
    long long ll = 0;

    RULE("tag sizes may be int, bsp_size_t, unsigned or long");
    bsp_set_tagsize(&i);
    EXPECT(i == 0);
    bsp_sync();
    z = u = sizeof(int), l = (long)z, ll = (long long)z;
    bsp_set_tagsize(&z);
    bsp_set_tagsize(&u);
    bsp_set_tagsize(&l);
    bsp_set_tagsize(&ll);
    EXPECT(z == sizeof(int) && u == sizeof(int) && l == sizeof(int) && ll == sizeof(int));

    RULE("bsp_qsize takes int, bsp_nprocs_t and bsp_size_t in any pairing, and NULL for what is not wanted");
    bsp_nprocs_t n = 9;
    bsp_size_t bytes = SIZE_MAX;
    one_message();
    bsp_qsize(&n, &bytes);
    EXPECT(n == 1 && bytes == 5);
    bsp_qsize(&n_int, &i);
    EXPECT(n_int == 1 && i == 5);
    n_int = -1, bytes = SIZE_MAX, n = 9;
    bsp_qsize(&n_int, &bytes);
    EXPECT(n_int == 1 && bytes == 5);
    bsp_qsize(&n, NULL);
    EXPECT(n == 1);
    z = 77, i = -1;
    bsp_qsize(&z, &i);
    EXPECT(z == 1 && i == 5);

    RULE("bsp_get_tag takes a status of any of these types; empty is -1, or the greatest value of an unsigned type");
    z = SIZE_MAX, u = 0, i = 0;
    bsp_get_tag(&i, &tag);
    bsp_get_tag(&z, &tag);
    bsp_get_tag(&u, &tag);
    EXPECT(i == 5 && z == 5 && u == 5 && tag == 3);
    bsp_move(NULL, 0);
    bsp_get_tag(&i, &tag);
    bsp_get_tag(&z, &tag);
    bsp_get_tag(&u, &tag);
    bsp_get_tag(&l, &tag);
    EXPECT(i == -1 && z == SIZE_MAX && u == UINT32_MAX && l == -1 && z == (size_t)-1);

    RULE("the classic functions can be called through pointers");
    void (*qsize)(int *, int *) = bsp_qsize;
    void (*get_tag)(int *, void *) = bsp_get_tag;
    void (*set_tagsize)(int *) = bsp_set_tagsize;
    one_message();
    qsize(&n_int, &i);
    EXPECT(n_int == 1 && i == 5);
    qsize(&n_int, NULL);
    get_tag(&i, &tag);
    EXPECT(i == 5 && tag == 3);
    i = 0;
    set_tagsize(&i);
    EXPECT(i == sizeof(int));

    RULE("the length from bsp_hpmove compares with -1, 0 and SIZE_MAX as programs expect");
    void *a, *b;
    int classic = bsp_hpmove(&a, &b);
    size_t modern = (size_t)bsp_hpmove(&a, &b);
    EXPECT(classic == 5 && modern == SIZE_MAX);
    classic = bsp_hpmove(&a, &b);
    EXPECT(classic == -1 && bsp_hpmove(&a, &b) < 0);
    bsp_sync();
}

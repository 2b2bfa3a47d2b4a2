/* A stable 128-bit hash (FNV-1a): the same on every machine and in every version, because it is written into files. Not
 * for secrets. */
#ifndef SUP_MACHINE_HASH_H
#define SUP_MACHINE_HASH_H

#include <stddef.h>

__extension__ typedef unsigned __int128 sup_hash;

#define SUP_HASH_TEXT 33 /* 32 hexadecimal digits and the terminator */

sup_hash sup_hash_start(void);
sup_hash sup_hash_bytes(sup_hash hash, const void *data, size_t length);
/* The number as decimal text, so that word size and byte order do not matter. */
sup_hash sup_hash_number(sup_hash hash, unsigned long long number);
sup_hash sup_hash_string(sup_hash hash, const char *text); /* with its terminator: "ab","c" is not "a","bc" */
void sup_hash_format(sup_hash hash, char out[SUP_HASH_TEXT]);

#endif

/* FNV-1a with 128 bits: offset basis and prime as its authors publish them. */
#include "machine/hash.h"

#include <stdio.h>
#include <string.h>

sup_hash sup_hash_start(void) { return ((sup_hash)0x6c62272e07bb0142ULL << 64) | 0x62b821756295c58dULL; }

sup_hash sup_hash_bytes(sup_hash hash, const void *data, size_t length) {
    const sup_hash prime = ((sup_hash)1 << 88) | 0x13b;
    const unsigned char *p = data;
    for (size_t i = 0; i < length; i++) hash = (hash ^ p[i]) * prime;
    return hash;
}

sup_hash sup_hash_string(sup_hash hash, const char *text) { return sup_hash_bytes(hash, text, strlen(text) + 1); }

sup_hash sup_hash_number(sup_hash hash, unsigned long long number) {
    char text[24];
    snprintf(text, sizeof text, "%llu", number);
    return sup_hash_string(hash, text);
}

void sup_hash_format(sup_hash hash, char out[SUP_HASH_TEXT]) {
    snprintf(out, SUP_HASH_TEXT, "%016llx%016llx", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

/* Mutations that keep JSON valid, so that the fuzzer reaches the rules behind the parser: a value somewhere in the tree
 * is replaced, removed, repeated, renamed or taken from elsewhere. One time in four libFuzzer's own are used instead.
 */
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static uint32_t state;

static uint32_t roll(uint32_t sides) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % sides;
}

static json_t *strange_value(void) {
    static const double reals[] = {0, -0.0, 1e-320, 1e300, -1, 0.5, 1.5, 4096, 1e18};
    static const json_int_t ints[] = {0,         1,        2,     3,          4,
                                      -1,        5,        7,     64,         4095,
                                      4096,      4097,     65535, 2147483647, 9007199254740992,
                                      INT64_MAX, INT64_MIN};
    static const char *const texts[] = {"",    "linear", "tree",   "levels", "stages",
                                        "shm", "big",    "cyclic", "eager",  "\x1b"};
    switch (roll(6)) {
    case 0: return json_real(reals[roll(sizeof reals / sizeof *reals)]);
    case 1:
    case 2: return json_integer(ints[roll(sizeof ints / sizeof *ints)]);
    case 3: return json_string(texts[roll(sizeof texts / sizeof *texts)]);
    case 4: return roll(2) ? json_array() : json_object();
    default: return roll(2) ? json_null() : json_boolean(roll(2));
    }
}

/* One more or less; the largest becomes the smallest. */
static void step(json_t *integer) {
    json_integer_set(integer, (json_int_t)((uint64_t)json_integer_value(integer) + (roll(2) ? 1 : UINT64_MAX)));
}

/* A container on a random walk down the tree. */
static json_t *walk(json_t *root) {
    json_t *at = root;
    for (;;) {
        size_t count = json_is_array(at) ? json_array_size(at) : json_object_size(at);
        if (count == 0 || roll(5) == 0) return at;
        size_t place = roll((uint32_t)count);
        json_t *child = NULL;
        if (json_is_array(at)) {
            child = json_array_get(at, place);
        } else {
            void *i = json_object_iter(at);
            while (place-- > 0) i = json_object_iter_next(at, i);
            child = json_object_iter_value(i);
        }
        if (!json_is_array(child) && !json_is_object(child)) return at;
        at = child;
    }
}

static void change_array(json_t *array, const json_t *other) {
    size_t count = json_array_size(array);
    if (count == 0) {
        json_array_append_new(array, strange_value());
        return;
    }
    size_t place = roll((uint32_t)count);
    switch (roll(5)) {
    case 0: json_array_remove(array, place); break;
    case 1: json_array_insert_new(array, place, json_deep_copy(json_array_get(array, roll((uint32_t)count)))); break;
    case 2: json_array_set_new(array, place, json_deep_copy(other)); break;
    case 3: {
        json_t *value = json_array_get(array, place);
        if (json_is_integer(value)) step(value);
        break;
    }
    default: json_array_set_new(array, place, strange_value()); break;
    }
}

static void change_object(json_t *object, const json_t *other) {
    size_t count = json_object_size(object);
    void *i = json_object_iter(object);
    for (size_t place = count ? roll((uint32_t)count) : 0; place > 0; place--) i = json_object_iter_next(object, i);
    char key[64] = "novel";
    if (i) snprintf(key, sizeof key, "%s", json_object_iter_key(i));
    switch (roll(6)) {
    case 0: json_object_del(object, key); break;
    case 1: json_object_set_new(object, "novel", strange_value()); break;
    case 2: json_object_set_new(object, key, json_deep_copy(other)); break;
    case 3:
    case 4: {
        json_t *value = json_object_get(object, key);
        if (json_is_integer(value)) step(value);
        if (json_is_real(value)) json_real_set(value, json_real_value(value) * (roll(2) ? 2 : -0.5));
        break;
    }
    default: json_object_set_new(object, key, strange_value()); break;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    state = seed;
    json_t *root = roll(4) ? json_loadb((const char *)data, size, 0, NULL) : NULL;
    if (!root) return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + roll(3); n > 0; n--) {
        json_t *at = walk(root), *copy = json_deep_copy(walk(root));
        if (json_is_array(at))
            change_array(at, copy);
        else
            change_object(at, copy);
        json_decref(copy);
    }
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    size_t length = text ? strlen(text) : 0;
    if (length == 0 || length > max_size) {
        free(text);
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(data, text, length);
    free(text);
    return length;
}

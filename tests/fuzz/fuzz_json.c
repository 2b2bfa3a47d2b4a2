/* The JSON reader: lines are within the text, and what is written reads back as the same value and the same bytes. */
#include "fuzz.h"

#include "base/file/json.h"

#include <stdlib.h>
#include <string.h>

static sup_json *parse(const void *data, size_t size) {
    sup_json *doc = NULL;
    sup_diag diag;
    sup_status status = sup_json_parse("fuzz", data, size, &diag, &doc);
    FUZZ_REQUIRE((status == SUP_OK) == (doc != NULL));
    if (status) FUZZ_REQUIRE(diag.status == status && diag.text[0] && !strpbrk(diag.text, "\n\r\t\x1b"));
    return doc;
}

/* Lines never go back in the order of the text. */
static void check_lines(const sup_json *doc, const json_t *value, int *line) {
    size_t index;
    const char *key;
    json_t *child;
    if (!json_is_array(value) && !json_is_object(value)) return;
    int own = sup_json_line(doc, value, NULL, -1);
    FUZZ_REQUIRE(own >= *line);
    *line = own;
    json_array_foreach(value, index, child) {
        int at = sup_json_line(doc, value, NULL, (int)index);
        FUZZ_REQUIRE(at >= *line);
        *line = at;
        check_lines(doc, child, line);
    }
    json_object_foreach((json_t *)value, key, child) {
        int at = sup_json_line(doc, value, key, -1);
        FUZZ_REQUIRE(at >= *line);
        *line = at;
        check_lines(doc, child, line);
    }
}

static int count_lines(const uint8_t *data, size_t size) {
    int lines = 1;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sup_json *doc = parse(data, size);
    if (!doc) return 0;
    int line = 1;
    check_lines(doc, sup_json_root(doc), &line);
    FUZZ_REQUIRE(line <= count_lines(data, size));
    char *first = NULL, *second = NULL;
    size_t length = 0;
    FUZZ_REQUIRE(sup_json_text(sup_json_root(doc), NULL, &first, &length) == SUP_OK);
    sup_json *again = parse(first, length);
    FUZZ_REQUIRE(again && json_equal(sup_json_root(doc), sup_json_root(again)));
    FUZZ_REQUIRE(sup_json_text(sup_json_root(again), NULL, &second, NULL) == SUP_OK);
    FUZZ_REQUIRE(strcmp(first, second) == 0);
    free(second);
    free(first);
    sup_json_free(again);
    sup_json_free(doc);
    return 0;
}

bool fuzz_takes(const uint8_t *data, size_t size) {
    sup_json *doc = parse(data, size);
    bool taken = doc != NULL;
    sup_json_free(doc);
    return taken;
}

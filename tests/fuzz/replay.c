/* Replays corpora without libFuzzer, as a normal test: replay_NAME FOLDER... */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    uint8_t *data = NULL;
    if (fseek(f, 0, SEEK_END) == 0) {
        long length = ftell(f);
        rewind(f);
        data = length >= 0 ? malloc((size_t)length + 1) : NULL;
        if (data) *size = fread(data, 1, (size_t)length, f);
    }
    fclose(f);
    return data;
}

static int replay_file(const char *path, const char *name) {
    size_t size = 0;
    uint8_t *data = read_file(path, &size);
    if (!data) {
        fprintf(stderr, "%s: cannot read\n", path);
        return 1;
    }
    /* An exact copy on the heap: reading past the end is then visible to the sanitizer. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) abort();
    memcpy(exact, data, size);
    free(data);
    LLVMFuzzerTestOneInput(exact, size);
    bool takes = fuzz_takes(exact, size);
    free(exact);
    if (strncmp(name, "good-", 5) == 0 && !takes) {
        fprintf(stderr, "%s: refused\n", path);
        return 1;
    }
    if (strncmp(name, "bad-", 4) == 0 && takes) {
        fprintf(stderr, "%s: taken\n", path);
        return 1;
    }
    return 0;
}

static int replay_folder(const char *folder, int *count) {
    struct dirent **names = NULL;
    int n = scandir(folder, &names, NULL, alphasort), wrong = n < 0;
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.') {
            wrong += replay_file(path, names[i]->d_name);
            ++*count;
        }
        free(names[i]);
    }
    free(names);
    return wrong;
}

int main(int argc, char **argv) {
    int wrong = argc < 2, count = 0;
    for (int i = 1; i < argc; i++) wrong += replay_folder(argv[i], &count);
    printf("%d inputs, %d wrong\n", count, wrong);
    return wrong || count == 0;
}

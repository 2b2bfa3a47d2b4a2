/* An order on its way through an MPI's launcher: encoding, variables, decoding. */
#include "net/launch/order.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLACK ((size_t)65536) /* variables that an MPI's launcher adds */

/* ---- words as one text --------------------------------------------------------------------------------------------*/

static bool is_plain(unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("./_-", c));
}

static char *encode_word(char *at, const char *word) {
    static const char digits[] = "0123456789ABCDEF";
    for (; *word; word++) {
        unsigned char c = (unsigned char)*word;
        if (is_plain(c)) {
            *at++ = *word;
            continue;
        }
        *at++ = '%';
        *at++ = digits[c / 16];
        *at++ = digits[c % 16];
    }
    return at;
}

char *sup_order_encode(char *const words[]) {
    size_t bytes = 1;
    for (char *const *w = words; *w; w++) bytes += 3 * strlen(*w) + 1;
    char *text = malloc(bytes), *at = text;
    if (!text) return NULL;
    for (char *const *w = words; *w; w++) {
        if (w != words) *at++ = '+';
        at = encode_word(at, *w);
    }
    *at = 0;
    return text;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

/* In place, up to the next '+' or the end, where *rest will stand. */
static bool decode_word(char *word, char **rest) {
    char *to = word, *from = word;
    for (; *from && *from != '+'; from++) {
        char c = *from;
        if (c == '%') {
            int high = digit(from[1]), low = high < 0 ? -1 : digit(from[2]);
            if (low < 0 || !(high || low)) return false;
            c = (char)(16 * high + low);
            from += 2;
        } else if (!is_plain((unsigned char)c)) {
            return false;
        }
        *to++ = c;
    }
    *rest = *from ? from + 1 : NULL;
    *to = 0;
    return true;
}

/* ---- the environment ----------------------------------------------------------------------------------------------*/

void sup_order_name(int part, char name[SUP_ORDER_NAME]) { snprintf(name, SUP_ORDER_NAME, "SUPERSTEP_ORDER_%d", part); }

static void forget(void) {
    char name[SUP_ORDER_NAME];
    for (int i = 0; i < SUP_ORDER_PARTS; i++) {
        sup_order_name(i, name);
        unsetenv(name);
    }
}

/* What a process is started with may have so many bytes, arguments and variables together. */
static bool fits(size_t length) {
    long most = sysconf(_SC_ARG_MAX);
    size_t used = SLACK;
    for (char **v = environ; v && *v; v++) used += strlen(*v) + 1 + sizeof *v;
    return length <= (size_t)SUP_ORDER_PART * SUP_ORDER_PARTS && (most < 0 || used + length <= (size_t)most);
}

static sup_status put_parts(const char *text, sup_diag *diag, int *parts) {
    char name[SUP_ORDER_NAME], part[SUP_ORDER_PART + 1];
    size_t length = strlen(text);
    forget();
    if (!fits(length))
        return sup_diag_set(diag, SUP_EINVAL, NULL, 0,
                            "the program's arguments are too long to be handed on by an MPI's launcher (%zu bytes as "
                            "they travel)",
                            length);
    int count = 0;
    for (size_t at = 0; at < length; at += SUP_ORDER_PART) {
        size_t n = length - at < SUP_ORDER_PART ? length - at : SUP_ORDER_PART;
        memcpy(part, text + at, n);
        part[n] = 0;
        sup_order_name(count++, name);
        if (setenv(name, part, 1)) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the arguments");
    }
    *parts = count;
    return SUP_OK;
}

/* As it travels: how many words, the program, the words. */
sup_status sup_order_put(const sup_order *order, sup_diag *diag, int *parts) {
    size_t argc = 0;
    char count[24];
    while (order->argv[argc]) argc++;
    char **words = calloc(argc + 3, sizeof *words);
    char *text = NULL;
    if (words) {
        snprintf(count, sizeof count, "%zu", argc);
        words[0] = count;
        words[1] = order->program;
        memcpy(words + 2, order->argv, argc * sizeof *words);
        text = sup_order_encode(words);
    }
    sup_status status =
        text ? put_parts(text, diag, parts) : sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the arguments");
    free(text);
    free(words);
    return status;
}

static char *join_parts(void) {
    char name[SUP_ORDER_NAME];
    const char *part[SUP_ORDER_PARTS];
    int count = 0;
    size_t bytes = 1;
    for (; count < SUP_ORDER_PARTS; count++) {
        sup_order_name(count, name);
        if (!(part[count] = getenv(name))) break;
        bytes += strlen(part[count]);
    }
    char *text = malloc(bytes), *at = text;
    for (int i = 0; text && i < count; i++) at = stpcpy(at, part[i]);
    if (text) *at = 0;
    return text;
}

static size_t count_words(const char *text) {
    size_t count = 1;
    for (; *text; text++) count += *text == '+';
    return count;
}

/* The words become pointers into `text`. */
static bool decode(char *text, sup_order *out) {
    size_t count = count_words(text);
    char **words = calloc(count + 1, sizeof *words), *rest = text, *end;
    if (!words) return false;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        words[i] = rest;
        good = decode_word(words[i], &rest);
    }
    good = good && count >= 3 && strtoul(words[0], &end, 10) == count - 2 && !*end;
    if (!good) {
        free(words);
        return false;
    }
    out->text = text;
    out->program = words[1];
    memmove(words, words + 2, (count - 1) * sizeof *words);
    out->argv = words;
    return true;
}

sup_status sup_order_take(sup_diag *diag, sup_order *out) {
    sup_order order = {0};
    char *text = join_parts();
    if (!text) return sup_diag_set(diag, SUP_ENOMEM, NULL, 0, "no memory for the arguments");
    sup_status status = SUP_OK;
    if (!*text)
        status = sup_diag_set(diag, SUP_ENOENT, NULL, 0, "nobody said which program to start");
    else if (!decode(text, &order))
        status = sup_diag_set(diag, SUP_EPARSE, NULL, 0, "the program to start did not arrive whole");
    forget();
    if (status)
        free(text);
    else
        *out = order;
    return status;
}

void sup_order_free(sup_order *order) {
    free(order->argv);
    free(order->text);
    *order = (sup_order){0};
}

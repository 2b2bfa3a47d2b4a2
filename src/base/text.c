/* Text that came from outside, made fit for a terminal (text.h). */
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* In ascending order. Tags (U+E0000 …) are not among them: flags are spelt with them. */
static const struct {
    unsigned first, last;
} hidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},     {0x61c, 0x61c},   {0x200b, 0x200b}, {0x200e, 0x200f},
              {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}};

static bool may_show(unsigned code) {
    if (code >= 0xd800 && code < 0xe000) return false; /* half of a pair of UTF-16 */
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0] && code >= hidden[i].first; i++)
        if (code <= hidden[i].last) return false;
    return code < 0x110000;
}

size_t sup_text_character(const char *text, bool *plain) {
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000}; /* what fewer bytes can say is no UTF-8 */
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf8 ? 4 : 0;
    unsigned code = length > 1 ? s[0] & (0x7fu >> length) : s[0];
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) length = 0; /* the end of the text is none either */
        code = code << 6 | (s[i] & 0x3f);
    }
    bool character = length && code >= least[length] && code < 0x110000 && (code < 0xd800 || code >= 0xe000);
    *plain = character && may_show(code);
    return character ? length : 1;
}

char *sup_text_make_plain(char *text) {
    char *to = text;
    bool plain;
    for (const char *from = text; *from;) {
        size_t length = sup_text_character(from, &plain);
        if (plain) memmove(to, from, length);
        if (!plain) *to = '?';
        to += plain ? length : 1;
        from += length;
    }
    *to = 0;
    return text;
}

bool sup_text_is_plain(const char *text) {
    bool plain = true;
    while (*text && plain) text += sup_text_character(text, &plain);
    return plain;
}

void sup_text_put(const char *text, FILE *out) {
    bool plain;
    for (size_t length; *text; text += length) {
        length = sup_text_character(text, &plain);
        plain ? fwrite(text, 1, length, out) : fwrite("?", 1, 1, out);
    }
}

void sup_text_print(FILE *out, const char *format, ...) {
    char *text;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) return;
    size_t before = strspn(format, "\n"), after = 0, end = strlen(format);
    while (after < end - before && format[end - 1 - after] == '\n') after++;
    text[(size_t)length - after] = 0;
    size_t used = before + strlen(sup_text_make_plain(text + before));
    memset(text + used, '\n', after);
    fwrite(text, 1, used + after, out); /* at once: processes of a run share stderr */
    free(text);
}

char *sup_text_word(const char *text, char *word, size_t size) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=+@%-";
    size_t at = 0;
    if (*text && !text[strspn(text, safe)]) {
        snprintf(word, size, "%s", text);
        return word;
    }
    if (size) word[0] = 0;
    if (size < 8) return word;
    word[at++] = '\'';
    for (; *text && at + 6 < size; text++) {
        if (*text == '\'')
            memcpy(word + at, "'\\''", 4), at += 4;
        else
            word[at++] = *text;
    }
    word[at++] = '\'';
    word[at] = 0;
    return word;
}

bool sup_text_int(const char **text, int64_t low, int64_t high, int64_t *out) {
    const char *at = *text;
    int64_t value = 0;
    bool fits = true;
    for (; *at >= '0' && *at <= '9'; at++)
        fits = fits && !__builtin_mul_overflow(value, 10, &value) && !__builtin_add_overflow(value, *at - '0', &value);
    if (at == *text || !fits || value < low || value > high) return false;
    *text = at;
    *out = value;
    return true;
}

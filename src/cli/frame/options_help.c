/* A verb's table of options for people, `superstep VERB --help`, and for tools/options, which makes manual pages and
 * completion from it. */
#include "cli/frame/cli.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, HEAD_MAX = 26, TEXT = 2048 };

/* ---- lines ---- */

/* Characters of UTF-8, which is what the texts are written in. */
static int columns_of(const char *text, size_t length) {
    int columns = 0;
    for (size_t i = 0; i < length; i++) columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* Prints words from column `at` on, and further lines from column `indent` on. A line's end in the text stays one. */
static void print_wrapped(const char *text, int at, int indent) {
    bool first = true;
    while (*text) {
        size_t length = strcspn(text, " \n");
        int width = columns_of(text, length);
        bool fits = first || at + 1 + width <= COLUMNS;
        if (!fits) printf("\n%*s", indent, "");
        if (!fits) at = indent;
        if (!first && fits) at += printf(" ");
        printf("%.*s", (int)length, text);
        at += width;
        first = false;
        text += length;
        if (*text == '\n') {
            printf("\n%*s", text[1] && text[1] != '\n' ? indent : 0, "");
            at = indent;
            first = true;
        }
        if (*text) text++;
    }
    printf("\n");
}

/* ---- one option ---- */

const char *sup_option_word(const sup_option *option, size_t index) {
    const char *word;
    size_t count = 0;
    for (; option->word && (word = option->word(count)); count++)
        if (count == index) return word;
    return option->words ? option->words[index - count] : NULL;
}

void sup_option_list(const sup_option *option, char *text, size_t size) {
    const char *word;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; (word = sup_option_word(option, i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", word);
}

/* "-n P, --processes P" */
static void head_of(const sup_option *o, char *text, size_t size) {
    const char *gap = o->value ? " " : "", *value = o->value ? o->value : "";
    int used = 0;
    if (o->letter) used += snprintf(text, size, "-%c%s%s", o->letter, gap, value);
    if (o->also) used += snprintf(text + used, size - (size_t)used, "%s%s%s%s", used ? ", " : "", o->also, gap, value);
    if (o->name) snprintf(text + used, size - (size_t)used, "%s--%s%s%s", used ? ", " : "", o->name, gap, value);
}

/* A text with the option's words in their place. */
static void fill_in(const char *from, const sup_option *o, char *text, size_t size) {
    const char *mark = strstr(from, "{words}");
    char list[TEXT / 2];
    if (!mark) {
        snprintf(text, size, "%s", from);
        return;
    }
    sup_option_list(o, list, sizeof list);
    snprintf(text, size, "%.*s%s%s", (int)(mark - from), from, list, mark + strlen("{words}"));
}

static bool is_shown(const sup_option *o) { return (o->name || o->letter) && !o->hidden; }

static void print_options(const sup_option *options) {
    char head[128], help[TEXT];
    int widest = 0;
    for (const sup_option *o = options; o->name || o->letter; o++) {
        if (!is_shown(o)) continue;
        head_of(o, head, sizeof head);
        int width = (int)strlen(head);
        if (width > widest && width <= HEAD_MAX) widest = width;
    }
    for (const sup_option *o = options; o->name || o->letter; o++) {
        if (!is_shown(o)) continue;
        head_of(o, head, sizeof head);
        fill_in(o->help, o, help, sizeof help);
        printf("  %-*s  ", widest, head);
        if ((int)strlen(head) > widest) printf("\n%*s", widest + 4, "");
        print_wrapped(help, widest + 4, widest + 4);
    }
}

/* Its words are those of the last argument. */
static void print_about(const sup_verb *verb) {
    char about[TEXT];
    const sup_option *last = verb->arguments;
    while (last && last->value && last[1].value) last++;
    fill_in(verb->about, last, about, sizeof about);
    print_wrapped(about, 0, 0);
}

int sup_options_help(const sup_verb *verb) {
    for (const char *line = verb->usage; *line;) {
        size_t length = strcspn(line, "\n");
        printf("%s %.*s\n", line == verb->usage ? "usage:" : "      ", (int)length, line);
        line += length + (line[length] == '\n');
    }
    printf("\n");
    print_about(verb);
    printf("\n");
    print_options(verb->options);
    if (verb->more) {
        printf("\n");
        print_wrapped(verb->more, 0, 0);
    }
    return SUP_EXIT_OK;
}

/* ---- for programs ---- */

/* Does a row contradict itself? Building asks for every table, so that one that does fails there. */
static bool is_sound(const sup_option *o) {
    bool number = o->store >= SUP_STORE_INT && o->kind == SUP_VALUE_PLAIN;
    bool demands = o->kind == SUP_VALUE_WORD || o->kind == SUP_VALUE_WORDS;
    if (o->store == SUP_STORE_NONE && !o->set) return !o->value; /* help */
    return (o->store == SUP_STORE_FLAG) == !o->value && (!number || o->low < o->high) &&
           (!demands || sup_option_word(o, 0)) &&
           (o->kind == SUP_VALUE_TIME || o->kind == SUP_VALUE_RATE) <= (o->store == SUP_STORE_REAL) &&
           (o->help || o->hidden);
}

static json_t *option_json(const sup_option *o) {
    static const char *const kinds[] = {"plain", "file", "folder", "command", "time", "rate", "word", "words"};
    char letter[2] = {o->letter, '\0'}, help[TEXT] = "";
    const char *word;
    if (o->help) fill_in(o->help, o, help, sizeof help);
    json_t *words = json_array();
    for (size_t i = 0; (word = sup_option_word(o, i)); i++) json_array_append_new(words, json_string(word));
    return json_pack("{s:s*, s:s, s:s*, s:s*, s:s, s:o, s:s}", "name", o->name, "letter", letter, "also", o->also,
                     "value", o->value, "kind", kinds[o->kind], "words", words, "help", help);
}

json_t *sup_options_json(const sup_verb *verb) {
    json_t *options = json_array(), *arguments = json_array();
    for (const sup_option *o = verb->options; o->name || o->letter; o++) {
        assert(is_sound(o));
        if (is_shown(o)) json_array_append_new(options, option_json(o));
    }
    for (const sup_option *o = verb->arguments; o && o->value; o++) json_array_append_new(arguments, option_json(o));
    return json_pack("{s:s*, s:s*, s:b, s:o, s:o}", "name", verb->name, "summary", verb->summary, "stops", verb->stops,
                     "options", options, "arguments", arguments);
}

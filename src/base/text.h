/* Text that came from outside: names, files, arguments, what other programs said. On its way to a terminal no character
 * of it may move the cursor, change colours, or let a line read otherwise than its bytes are. Such characters are
 *
 *     control characters, also those of C1 (U+0080 – U+009F), line and paragraph separators
 *     marks, embeddings, overrides and isolates of direction (U+061C, U+200E, U+200F, U+202A – U+202E, U+2066 – U+2069)
 *     what takes no room (U+200B, U+2060 – U+206F, U+FEFF, U+FFF9 – U+FFFB) but joiners, which some scripts need
 *
 * and every byte that is not part of a character of UTF-8. */
#ifndef SUP_BASE_TEXT_H
#define SUP_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the character at `text`, which is not at its end; 1 for a byte that is part of none. *plain: it may be
 * shown. */
size_t sup_text_character(const char *text, bool *plain);

/* Puts '?' in place of every character that may not be shown, and returns the text, which is not longer than before. A
 * text that was cut inside a character loses what is left of that. */
char *sup_text_make_plain(char *text);
bool sup_text_is_plain(const char *text);

/* The text as a word of a shell's command line: in quotes where it has to be. Cut to size. Returns word. */
char *sup_text_word(const char *text, char *word, size_t size);

/* Writes the text so. */
void sup_text_put(const char *text, FILE *out);

/* As fprintf, but all that was formatted is made plain; newlines at the two ends of the format stay, others do not. */
void sup_text_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For small languages of options: decimal digits at *text, which moves behind them. false: there are none, or the
 * number is not within the two. */
bool sup_text_int(const char **text, int64_t low, int64_t high, int64_t *out);

#endif

/* Warnings of a measurement, as data: a stable word says which kind it is, a scope what it is about, named numbers how
 * much, and a text says the same to people. Programs decide by code and scope; nobody reads the text but people.
 *
 *     sup_warning_add(&list, &count, SUP_WARNING_PAIRS_DIFFER,
 *                     &(sup_about){.transport = "shm", .class = "L3", .number = {0.17}});
 *
 * A kind is one row of the table in warning.c, from which its text is made. superstep-profile(5) lists them. */
#ifndef SUP_PROFILE_WARNING_H
#define SUP_PROFILE_WARNING_H

#include "base/file/record.h"

/* In the order of the table. */
typedef enum sup_warning_code {
    SUP_WARNING_MACHINE_LOAD,
    SUP_WARNING_MACHINE_DISTURBED,
    SUP_WARNING_MACHINE_STOLEN,
    SUP_WARNING_MACHINE_OTHERS,
    SUP_WARNING_CLOCK_SET,
    SUP_WARNING_CORES_TAKEN,
    SUP_WARNING_FREQUENCY_CHANGED,
    SUP_WARNING_ONE_PROCESS,
    SUP_WARNING_RATES_OF_ONE_HOST,
    SUP_WARNING_PROCESSES_TAKE_TURNS,
    SUP_WARNING_CPU_QUOTA,
    SUP_WARNING_NOT_PINNED,
    SUP_WARNING_LOCK_NOT_PERMITTED,
    SUP_WARNING_LOCK_OVER_LIMIT,
    SUP_WARNING_KERNEL_NOT_AVAILABLE,
    SUP_WARNING_KERNEL_NOT_MEASURED,
    SUP_WARNING_RATES_MISSING,
    SUP_WARNING_RATES_UNCERTAIN,
    SUP_WARNING_SHORT_OF_CORES,
    SUP_WARNING_PAIRS_WITHOUT_RULE,
    SUP_WARNING_PAIRS_DIFFER,
    SUP_WARNING_PAIRS_ASYMMETRIC,
    SUP_WARNING_TWO_LEVELS,
    SUP_WARNING_TWO_LEVELS_OF_RATES,
    SUP_WARNING_TRANSFERS_OUT_OF_BOUNDS,
    SUP_WARNING_NO_BROADCAST,
    SUP_WARNING_ONE_PROCESS_A_HOST,
    SUP_WARNING_INTERRUPTED,
    SUP_WARNING_LAUNCH_FAILED,
    SUP_WARNING_NOT_MEASURED,
    SUP_WARNING_LEFT_OUT,
    SUP_WARNING_KINDS
} sup_warning_code;

enum { SUP_WARNING_NUMBERS = 6 };

/* What a warning is about; NULL where that does not apply. Sections: "machine", "run" (how the tool was called),
 * "processes", and those of a profile. */
typedef struct sup_warning_scope {
    char *section, *transport, *kernel, *class, *channel, *setup;
    struct json_t *extra;
} sup_warning_scope;

typedef struct sup_warning {
    char *code;
    bool earlier; /* of a measurement that this one went on with */
    sup_warning_scope *scope;
    sup_named *numbers;
    size_t numbers_count;
    char *text;
    struct json_t *extra;
} sup_warning;

typedef struct sup_warning_kind {
    const char *code;
    const char *section;
    bool unfinished;     /* something is left to be measured; resuming does that */
    const char *numbers; /* their names, in order, with spaces between them; NULL: none */
    const char *text;    /* with names in braces; warning.c says how */
} sup_warning_kind;

extern const sup_warning_kind sup_warning_kinds[SUP_WARNING_KINDS];
extern const sup_record sup_warning_record;

/* What there is to say about a case of a kind: its scope, its numbers in the order of the row, and what somebody else
 * said about it (an error's text). */
typedef struct sup_about {
    const char *transport, *kernel, *class, *channel, *setup;
    const char *reason;
    double number[SUP_WARNING_NUMBERS];
} sup_about;

/* Adds one, unless the list has the same already. about may be NULL. SUP_ENOMEM. */
sup_status sup_warning_add(sup_warning **list, size_t *count, sup_warning_code code, const sup_about *about);
/* Adds a copy, unless the list has the same already. */
sup_status sup_warning_add_copy(sup_warning **list, size_t *count, const sup_warning *warning);
/* Takes number `at` out of the list. */
void sup_warning_drop(sup_warning *list, size_t *count, size_t at);

/* The row of a warning; NULL: of a version that knows more. */
const sup_warning_kind *sup_warning_kind_of(const sup_warning *warning);
/* Is it of that section, over that transport? */
bool sup_warning_in(const sup_warning *warning, const char *section);
bool sup_warning_over(const sup_warning *warning, const char *transport);
/* Marks it, and its text, as one of an earlier measurement. SUP_ENOMEM. */
sup_status sup_warning_age(sup_warning *warning);

#endif

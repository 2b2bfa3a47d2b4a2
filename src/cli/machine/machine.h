/* What the files of `superstep machine` share: machine.c (options, composing), machine/find.c (reference profiles),
 * machine/say.c (what it prints). */
#ifndef SUP_CLI_MACHINE_MACHINE_H
#define SUP_CLI_MACHINE_MACHINE_H

#include "cli/frame/cli.h"
#include "model/compose/compose.h"
#include "profile/profile.h"

#include <limits.h>

#define SUP_MACHINE_VERB "machine"
enum { SUP_MACHINE_NAME = 64, SUP_MACHINES = 256, SUP_MACHINE_PATH = PATH_MAX + 192 };

/* machine/find.c */
/* Names of the reference profiles that are installed, in order; how many. */
size_t sup_machine_names(char names[SUP_MACHINES][SUP_MACHINE_NAME]);
/* A profile by its file, or by its name in the list where there is no file of that name: every verb that only reads one
 * takes it so. sup_machine_path finds the file alone. called: what it is called in what is composed of it. */
sup_status sup_machine_path(const char *name_or_file, sup_diag *diag, char path[SUP_MACHINE_PATH]);
sup_status sup_machine_read(const char *name_or_file, sup_diag *diag, sup_profile **out);
const char *sup_machine_called(const char *name_or_file);

/* machine/say.c: exit codes. */
int sup_machine_list(bool json);
int sup_machine_links(const char *name, bool json);
int sup_machine_show(const char *name_or_file, bool json);
int sup_machine_composed(const char *file, const sup_profile *profile, bool json);

#endif

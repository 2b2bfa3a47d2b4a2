/* Name of the processor from /proc/cpuinfo. x86 kernels print it; Arm kernels print two numbers that the makers
 * assign, of which the servers and boards one meets are named here. */
#include "machine/cpu_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    unsigned implementer, part;
    const char *name;
} arm_parts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd04, "Cortex-A35"},  {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},  {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},  {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd40, "Neoverse-V1"}, {0x41, 0xd41, "Cortex-A78"},  {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"}, {0x41, 0xd84, "Neoverse-V3"},
    {0x41, 0xd8e, "Neoverse-N3"}, {0x43, 0x0af, "ThunderX2"},   {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "Kunpeng-920"}, {0xc0, 0xac3, "Ampere-1"},    {0xc0, 0xac4, "Ampere-1a"},
};

static void arm_name(unsigned implementer, unsigned part, char *buf, size_t size) {
    for (size_t i = 0; i < sizeof arm_parts / sizeof arm_parts[0]; i++)
        if (arm_parts[i].implementer == implementer && arm_parts[i].part == part) {
            snprintf(buf, size, "%s", arm_parts[i].name);
            return;
        }
    snprintf(buf, size, "Arm part 0x%02x/0x%03x", implementer, part);
}

static const char *value_of(const char *line, const char *key) {
    if (strncmp(line, key, strlen(key))) return NULL;
    const char *colon = strchr(line, ':');
    return colon && colon[1] == ' ' ? colon + 2 : NULL;
}

void sup_cpu_model_read(const char *path, char *buf, size_t size) {
    if (size) buf[0] = 0;
    FILE *f = fopen(path, "r");
    if (!f) return;
    char line[512];
    unsigned long implementer = 0, part = 0;
    while (fgets(line, sizeof line, f) && !buf[0]) {
        line[strcspn(line, "\n")] = 0;
        const char *model = value_of(line, "model name"), *text;
        if (model) snprintf(buf, size, "%s", model);
        if ((text = value_of(line, "CPU implementer")) != NULL) implementer = strtoul(text, NULL, 16);
        if ((text = value_of(line, "CPU part")) != NULL) part = strtoul(text, NULL, 16);
    }
    fclose(f);
    if (!buf[0] && implementer) arm_name((unsigned)implementer, (unsigned)part, buf, size);
}

/* Name of the processor. Part of the machine signature, never of a model. */
#ifndef SUP_MACHINE_CPU_MODEL_H
#define SUP_MACHINE_CPU_MODEL_H

#include <stddef.h>

/* From a file like /proc/cpuinfo: its "model name", or the Arm part number as a name. buf is "" if neither is there. */
void sup_cpu_model_read(const char *path, char *buf, size_t size);

#endif

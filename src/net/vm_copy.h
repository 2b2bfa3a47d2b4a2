/* Copies between the memory of two processes of one machine by the kernel: one copy, no help from the other side. */
#ifndef SUP_NET_VM_COPY_H
#define SUP_NET_VM_COPY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Lets the other processes of this user copy from and to this one where the kernel wants to be asked for that. */
void sup_vm_permit(void);

/* Complete when they return. SUP_EPEER: no such process; SUP_EINVAL: no such memory; SUP_EPERM: not permitted, and it
 * will not be. */
sup_status sup_vm_read(pid_t pid, void *dst, uintptr_t remote, size_t len);
sup_status sup_vm_write(pid_t pid, uintptr_t remote, const void *src, size_t len);

#endif

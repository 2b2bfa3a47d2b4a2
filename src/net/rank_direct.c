/* Descriptors of a rank for the launcher, over a socket of this machine. */
#include "net/rank_direct.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define VARIABLE "SUPERSTEP_DIRECT"

/* Names of the kernel's are a 0 and five digits. */
#define NAME 16

int sup_direct_listen(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t length = sizeof address;
    char name[NAME];
    unsetenv(VARIABLE);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    bool bound = !bind(fd, (struct sockaddr *)&address, sizeof address.sun_family) && !listen(fd, SOMAXCONN) &&
                 !getsockname(fd, (struct sockaddr *)&address, &length);
    size_t bytes = length - offsetof(struct sockaddr_un, sun_path);
    if (bound && bytes > 1 && bytes <= sizeof name) {
        snprintf(name, sizeof name, "%.*s", (int)bytes - 1, address.sun_path + 1);
        if (!setenv(VARIABLE, name, 1)) return fd;
    }
    close(fd);
    return -1;
}

static bool is_own(int fd) {
    struct ucred who;
    socklen_t size = sizeof who;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) && who.uid == geteuid();
}

typedef union control {
    char bytes[CMSG_SPACE(2 * sizeof(int))];
    struct cmsghdr align;
} control;

static bool receive(int fd, char *text, size_t size, int ends[2]) {
    control room;
    struct iovec part = {.iov_base = text, .iov_len = size - 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *first = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!first || first->cmsg_type != SCM_RIGHTS) return false;
    size_t bytes = first->cmsg_len - CMSG_LEN(0);
    memcpy(ends, CMSG_DATA(first), bytes < 2 * sizeof *ends ? bytes : 2 * sizeof *ends);
    text[n] = 0;
    return ends[0] >= 0 && ends[1] >= 0;
}

int sup_direct_receive(int listening, char *text, size_t size, int ends[2]) {
    const struct timeval most = {.tv_sec = 1};
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    ends[0] = ends[1] = -1;
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    if (is_own(fd) && receive(fd, text, size, ends)) return fd;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    close(fd);
    return -1;
}

int sup_direct_more(int fd, char *text, size_t size) {
    ssize_t n = recv(fd, text, size - 1, MSG_DONTWAIT);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? 1 : n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

int sup_direct_connect(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *name = getenv(VARIABLE);
    size_t bytes = name ? strlen(name) : 0;
    if (bytes > 0 && bytes < NAME) memcpy(address.sun_path + 1, name, bytes);
    unsetenv(VARIABLE);
    if (!bytes || bytes >= NAME) return -1;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + bytes);
    if (fd < 0 || (!connect(fd, (struct sockaddr *)&address, length) && is_own(fd))) return fd;
    close(fd);
    return -1;
}

bool sup_direct_send(int fd, const char *text, const int ends[2]) {
    control room;
    memset(&room, 0, sizeof room);
    struct iovec part = {.iov_base = (void *)text, .iov_len = strlen(text)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room.bytes, .msg_controllen = sizeof room.bytes};
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(2 * sizeof *ends);
    if (ends) memcpy(CMSG_DATA(first), ends, 2 * sizeof *ends);
    if (!ends) message.msg_controllen = 0;
    return sendmsg(fd, &message, MSG_NOSIGNAL) > 0;
}

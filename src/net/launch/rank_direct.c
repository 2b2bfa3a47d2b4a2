/* Descriptors of a rank for the launcher, over a socket of this machine. */
#include "net/launch/rank_direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define VARIABLE "SUPERSTEP_DIRECT"

#define NAME 48

/* Such a name is nowhere else: on another host nobody answers to it. */
static bool make_name(char name[NAME]) {
    unsigned char bytes[12];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    int used = snprintf(name, NAME, "superstep-");
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(name + used + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* In the namespace without files: the first byte is 0. Returns the length. */
static socklen_t make_address(const char *name, struct sockaddr_un *out) {
    size_t length = strlen(name);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(out->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

int sup_direct_listen(void) {
    struct sockaddr_un address;
    char name[NAME];
    unsetenv(VARIABLE);
    if (!make_name(name)) return -1;
    socklen_t length = make_address(name, &address);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (!bind(fd, (struct sockaddr *)&address, length) && !listen(fd, SOMAXCONN) && !setenv(VARIABLE, name, 1))
        return fd;
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
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *first = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!first || first->cmsg_type != SCM_RIGHTS) return false;
    size_t bytes = first->cmsg_len - CMSG_LEN(0);
    memcpy(ends, CMSG_DATA(first), bytes < 2 * sizeof *ends ? bytes : 2 * sizeof *ends);
    text[n] = 0;
    return ends[0] >= 0 && ends[1] >= 0;
}

/* Between coming and speaking a rank on a crowded machine may wait seconds for a core; turned away it could not start,
 * and the others would wait for it. */
enum { SPEAKS_WITHIN_S = 20 };

int sup_direct_receive(int listening, char *text, size_t size, int ends[2]) {
    const struct timeval most = {.tv_sec = SPEAKS_WITHIN_S};
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
    struct sockaddr_un address;
    socklen_t length = 0;
    const char *name = getenv(VARIABLE);
    if (name && *name && strlen(name) < NAME) length = make_address(name, &address);
    unsetenv(VARIABLE);
    int fd = length ? socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) : -1;
    if (fd < 0 || (!connect(fd, (struct sockaddr *)&address, length) && is_own(fd))) return fd;
    close(fd);
    return -1;
}

bool sup_direct_send(int fd, const char *text, const int ends[2]) {
    control room;
    memset(&room, 0, sizeof room);
    struct iovec part = {.iov_base = (void *)text, .iov_len = strlen(text)};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof room.bytes};
    struct cmsghdr *first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(2 * sizeof *ends);
    if (ends) memcpy(CMSG_DATA(first), ends, 2 * sizeof *ends);
    if (!ends) message.msg_controllen = 0;
    return sendmsg(fd, &message, MSG_NOSIGNAL) > 0;
}

void sup_direct_packets(int fd) {
    struct stat st;
    if (!fstat(fd, &st) && S_ISFIFO(st.st_mode)) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_DIRECT);
}

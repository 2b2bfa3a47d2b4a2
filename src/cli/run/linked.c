/* What a program is linked with, from its file alone: which MPI by the shared libraries that it needs, libbsp by the
 * names of its symbols. Nothing is executed, and nothing is believed of the file that its size does not allow. */
#include "cli/run/run.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct image {
    const unsigned char *at;
    size_t size;
} image;

/* `bytes` bytes from `offset` on, or NULL where the file has no such. */
static const void *part(const image *i, uint64_t offset, uint64_t bytes) {
    return offset <= i->size && bytes <= i->size - offset && offset % sizeof(void *) == 0 ? i->at + offset : NULL;
}

static const ElfW(Phdr) * headers(const image *i, size_t *count) {
    const ElfW(Ehdr) *e = part(i, 0, sizeof *e);
    const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
    if (!e || memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_ident[EI_CLASS] != class) return NULL;
    if (e->e_phentsize != sizeof(ElfW(Phdr))) return NULL;
    *count = e->e_phnum;
    return part(i, e->e_phoff, (uint64_t)e->e_phnum * sizeof(ElfW(Phdr)));
}

/* Where in the file the byte is that will be at `address`; the size of the file if there is none. */
static uint64_t offset_of(const image *i, const ElfW(Phdr) * p, size_t count, uint64_t address) {
    for (size_t k = 0; k < count; k++)
        if (p[k].p_type == PT_LOAD && address >= p[k].p_vaddr && address - p[k].p_vaddr < p[k].p_filesz)
            return p[k].p_offset + (address - p[k].p_vaddr);
    return i->size;
}

/* libmpi.so.12 is the name that MPICH and its relatives have agreed upon; Open MPI's number is larger. */
static const char *mpi_of(const char *library) {
    static const char *const mpich[] = {"libmpich.", "libmpichfort.", "libmpichcxx.", "libmpifort.", "libmpicxx."};
    static const char *const openmpi[] = {"libmpi_mpifh.", "libmpi_usempi", "libmpi_cxx.", "liboshmem."};
    for (size_t i = 0; i < sizeof mpich / sizeof mpich[0]; i++)
        if (!strncmp(library, mpich[i], strlen(mpich[i]))) return "mpich";
    for (size_t i = 0; i < sizeof openmpi / sizeof openmpi[0]; i++)
        if (!strncmp(library, openmpi[i], strlen(openmpi[i]))) return "openmpi";
    if (strncmp(library, "libmpi.so", 9) != 0) return NULL;
    return library[9] == '.' && atoi(library + 10) == 12 ? "mpich" : "openmpi";
}

/* What a dynamically linked program names, and no other file does. */
static const char *not_preloadable(const image *i) {
    size_t count = 0;
    const ElfW(Phdr) *p = headers(i, &count);
    if (!p) return "is no program that was compiled for this machine";
    for (size_t k = 0; k < count; k++)
        if (p[k].p_type == PT_INTERP) return NULL;
    return "is linked statically";
}

static const char *find_needed(const image *i) {
    size_t count = 0, entries = 0;
    const ElfW(Phdr) *p = headers(i, &count);
    const ElfW(Dyn) *d = NULL;
    for (size_t k = 0; p && k < count && !d; k++)
        if (p[k].p_type == PT_DYNAMIC && (d = part(i, p[k].p_offset, p[k].p_filesz)))
            entries = p[k].p_filesz / sizeof *d;
    uint64_t names = i->size;
    for (size_t k = 0; k < entries && d[k].d_tag != DT_NULL; k++)
        if (d[k].d_tag == DT_STRTAB) names = offset_of(i, p, count, d[k].d_un.d_ptr);
    const char *found = NULL;
    for (size_t k = 0; k < entries && d[k].d_tag != DT_NULL && !found; k++) {
        if (d[k].d_tag != DT_NEEDED || names >= i->size || d[k].d_un.d_val >= i->size - names) continue;
        const char *name = (const char *)i->at + names + d[k].d_un.d_val;
        if (memchr(name, 0, i->size - (size_t)(name - (const char *)i->at))) found = mpi_of(name);
    }
    return found;
}

/* "bsp_begin", or the library that has it, among the names of its symbols and libraries; "" it is there. */
static const char *find_bsp(const image *i) {
    static const char *const words[] = {"\0bsp_begin", "\0libbsp.so"};
    static const size_t lengths[] = {11, 10}; /* one with the byte behind it */
    const ElfW(Ehdr) *e = part(i, 0, sizeof *e);
    size_t count = 0;
    if (!e || !headers(i, &count) || e->e_shentsize != sizeof(ElfW(Shdr))) return NULL;
    const ElfW(Shdr) *s = part(i, e->e_shoff, (uint64_t)e->e_shnum * sizeof *s);
    for (size_t k = 0; s && k < e->e_shnum; k++) {
        bool inside = s[k].sh_offset <= i->size && s[k].sh_size <= i->size - s[k].sh_offset;
        if (s[k].sh_type != SHT_STRTAB || !inside) continue;
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            if (memmem(i->at + s[k].sh_offset, s[k].sh_size, words[w], lengths[w])) return "";
    }
    return NULL;
}

/* What `ask` finds in the file; `otherwise` if it cannot be read. */
static const char *look_into(const char *program, const char *(*ask)(const image *), const char *otherwise) {
    struct stat s;
    const char *found = otherwise;
    int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return otherwise; /* one may execute what one may not read */
    if (!fstat(fd, &s) && S_ISREG(s.st_mode) && s.st_size > 0) {
        image i = {.size = (size_t)s.st_size};
        void *map = mmap(NULL, i.size, PROT_READ, MAP_PRIVATE, fd, 0);
        i.at = map;
        if (map != MAP_FAILED) {
            found = ask(&i);
            munmap(map, i.size);
        }
    }
    close(fd);
    return found;
}

const char *sup_run_linked_mpi(const char *program) { return look_into(program, find_needed, NULL); }
bool sup_run_linked_bsp(const char *program) { return look_into(program, find_bsp, NULL) != NULL; }
const char *sup_run_not_preloadable(const char *program) {
    return look_into(program, not_preloadable, "cannot be read");
}

const char *sup_run_mpi_title(const char *net) { return !strcmp(net, "mpich") ? "MPICH" : "Open MPI"; }

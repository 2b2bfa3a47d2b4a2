// C++ programs under libbsp: new, delete and the containers come from the shared heap too. Built where there is a C++
// compiler; 77 (skipped) where the interposer is empty.
extern "C" {
#include "heap_check.h"
}

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

struct alignas(256) wide {
    char bytes[256];
};

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                            \
        }                                                                        \
    } while (0)

int main() {
    const std::size_t bytes = std::size_t(256) << 20;
    std::vector<int> before(1000, 7);
    void *base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(base != MAP_FAILED && sup_heap_start(base, bytes) == SUP_OK);
    std::unique_ptr<int> one(new int(3));
    if (!sup_heap_owns(one.get())) _exit(77);

    CHECK(!sup_heap_owns(before.data()));
    before.resize(5000, 8);
    CHECK(sup_heap_owns(before.data()) && before[999] == 7 && before[4999] == 8);

    std::unique_ptr<wide[]> aligned(new wide[3]);
    CHECK(sup_heap_owns(aligned.get()) && reinterpret_cast<std::uintptr_t>(aligned.get()) % 256 == 0);

    std::map<std::string, std::vector<double>> table;
    for (int i = 0; i < 2000; i++)
        table["a key that is too long to be kept in the string " + std::to_string(i)].resize(i);
    for (int i = 0; i < 2000; i += 2)
        table.erase("a key that is too long to be kept in the string " + std::to_string(i));
    CHECK(table.size() == 1000 && sup_heap_owns(&*table.begin()));

    volatile std::size_t huge = PTRDIFF_MAX;
    bool thrown = false;
    try {
        void *volatile p = ::operator new(huge); // volatile: an unused pair of new and delete may be left out
        ::operator delete(p);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    sup_diag diag;
    CHECK(thrown && sup_heap_check(&diag, nullptr) == SUP_OK);
    return 0;
}

/* BSPlib for C++17: the calls of bsp.h with types, lifetimes and ranges.
 *
 *     int main() {
 *         return bsp::run([] {
 *             bsp::array<double> x(100);              // registered from the next superstep on
 *             bsp::sync();
 *             x.put((bsp::pid() + 1) % bsp::nprocs(), 3.14, 7);
 *             bsp::sync();
 *             double sum = bsp::allreduce(x[7]);
 *         });
 *     }
 *
 * Everything counts in elements of a trivially copyable type; costs are those of the calls of bsp.h and
 * superstep/coll.h that a function is named after, h in bytes. Registrations and tag sizes end with the objects that
 * stand for them, on all processes in the same order, as scopes do. Errors end the run, as in all of BSPlib, and so
 * does an exception that leaves the function given to run. The calls of bsp.h may be used beside. */
#ifndef SUPERSTEP_BSP_HPP
#define SUPERSTEP_BSP_HPP

#include <bsp.h>
#include <superstep/coll.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__has_include)
#if __has_include(<span>)
#include <span>
#endif
#endif

namespace bsp {

/* ---- spans --------------------------------------------------------------------------------------------------------
 */

#if defined(__cpp_lib_span)
template <class T> using span = std::span<T>;
#else
/* What is needed of std::span before C++20. */
template <class T> class span {
  public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using iterator = T *;
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr span(T (&a)[N]) noexcept : data_(a), size_(N) {}
    template <class C,
              class = std::enable_if_t<
                  std::is_convertible_v<std::remove_pointer_t<decltype(std::declval<C &>().data())> (*)[], T (*)[]> &&
                  std::is_convertible_v<decltype(std::declval<C &>().size()), std::size_t>>>
    constexpr span(C &&c) noexcept : data_(c.data()), size_(c.size()) {}
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T &operator[](std::size_t i) const { return data_[i]; }
    constexpr T &front() const { return data_[0]; }
    constexpr T &back() const { return data_[size_ - 1]; }
    constexpr iterator begin() const noexcept { return data_; }
    constexpr iterator end() const noexcept { return data_ + size_; }
    constexpr span subspan(std::size_t from, std::size_t count = std::size_t(-1)) const {
        return {data_ + from, count == std::size_t(-1) ? size_ - from : count};
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};
#endif

/* ---- what runs ----------------------------------------------------------------------------------------------------
 */

/* The parentheses keep macros of mcbsp.h away. */
inline int pid() { return (bsp_pid)(); }
inline int nprocs() { return (bsp_nprocs)(); }
inline double time() { return bsp_time(); }

template <class... Args> [[noreturn]] inline void abort(const char *format, Args... args) {
    if constexpr (sizeof...(args) == 0)
        bsp_abort("%s", format);
    else
        bsp_abort(format, args...);
}

namespace detail {

template <class T> constexpr void movable() {
    static_assert(std::is_trivially_copyable_v<T>, "only trivially copyable types can be sent to another process");
    static_assert(!std::is_pointer_v<T>, "an address means nothing to another process");
}

/* Memory that a registration or a pending transfer may still name. */
inline std::vector<std::shared_ptr<void>> &retired() {
    static std::vector<std::shared_ptr<void>> memory;
    return memory;
}

/* A value or a range as a span that is only read: what a put or a send takes. */
template <class T> inline span<const T> one(const T &value) { return {&value, 1}; }

template <class F> inline void guarded(const char *what, F &&f) noexcept {
    try {
        f();
    } catch (const std::exception &e) {
        bsp_abort("%s: exception: %s (rank %d)", what, e.what(), pid());
    } catch (...) {
        bsp_abort("%s: exception (rank %d)", what, pid());
    }
}

} // namespace detail

/* Ends the superstep. */
inline void sync() {
    bsp_sync();
    detail::retired().clear();
}

/* Names the function that calls run or bsp_begin; first statement of a main that does something before. */
inline void init(void (*spmd)(), int argc, char **argv) { bsp_init(spmd, argc, argv); }

/* Runs f on at most so many processes, 0 for all there are, and returns on process 0; the others end. First statement
 * of main, or of the function given to init. */
template <class F> inline int run(F &&f, int procs = 0) {
    bsp_begin(procs > 0 ? procs : nprocs());
    detail::guarded("bsp::run", std::forward<F>(f));
    bsp_end();
    detail::retired().clear();
    return 0;
}

/* ---- memory that others reach -------------------------------------------------------------------------------------
 */

/* Registers n elements at an address for its lifetime; each process may have another number. Offsets count elements. */
template <class T> class area {
  public:
    area(T *data, std::size_t size) : data_(data), size_(size) {
        detail::movable<T>();
        bsp_push_reg(data_, size_ * sizeof(T));
    }
    explicit area(span<T> range) : area(range.data(), range.size()) {}
    explicit area(T &variable) : area(&variable, 1) {}
    area(area &&other) noexcept : data_(other.data_), size_(other.size_), live_(std::exchange(other.live_, false)) {}
    area(const area &) = delete;
    area &operator=(const area &) = delete;
    area &operator=(area &&) = delete;
    ~area() {
        if (live_) bsp_pop_reg(data_);
    }

    /* This process's part. */
    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    span<T> local() const noexcept { return {data_, size_}; }
    T &operator[](std::size_t i) const { return data_[i]; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }

    /* Into process pid's part, from element `at` on, at the sync. The source may change after put, not after hpput. */
    void put(int pid, const T &value, std::size_t at = 0) const { put(pid, detail::one(value), at); }
    void put(int pid, span<const T> from, std::size_t at = 0) const {
        bsp_put(pid, from.data(), data_, at * sizeof(T), from.size() * sizeof(T));
    }
    void hpput(int pid, span<const T> from, std::size_t at = 0) const {
        bsp_hpput(pid, from.data(), data_, at * sizeof(T), from.size() * sizeof(T));
    }

    /* From process pid's part, from element `at` on, at the sync; hpget at any time until then. */
    void get(int pid, T &to, std::size_t at = 0) const { get(pid, span<T>(&to, 1), at); }
    void get(int pid, span<T> to, std::size_t at = 0) const {
        bsp_get(pid, data_, at * sizeof(T), to.data(), to.size() * sizeof(T));
    }
    void hpget(int pid, span<T> to, std::size_t at = 0) const {
        bsp_hpget(pid, data_, at * sizeof(T), to.data(), to.size() * sizeof(T));
    }

    /* The element as it is now (bsp_direct_get). */
    T read(int pid, std::size_t at = 0) const {
        T value;
        read(pid, span<T>(&value, 1), at);
        return value;
    }
    void read(int pid, span<T> to, std::size_t at = 0) const {
        bsp_direct_get(pid, data_, at * sizeof(T), to.data(), to.size() * sizeof(T));
    }

  private:
    T *data_;
    std::size_t size_;
    bool live_ = true;
};

template <class C, class = decltype(std::declval<C &>().data())>
area(C &) -> area<std::remove_pointer_t<decltype(std::declval<C &>().data())>>;

namespace detail {
template <class T> struct owned {
    explicit owned(std::size_t n) : memory(new T[n > 0 ? n : 1](), std::default_delete<T[]>()) {}
    std::shared_ptr<T> memory;
};
} // namespace detail

/* An area with memory of its own, elements zero at first. The memory outlives the object until the next sync, so that
 * transfers of the superstep in which it ends are safe. */
template <class T> class array : private detail::owned<T>, public area<T> {
  public:
    explicit array(std::size_t size = 1) : detail::owned<T>(size), area<T>(this->memory.get(), size) {}
    array(array &&) noexcept = default;
    ~array() {
        if (this->memory) detail::retired().push_back(std::move(this->memory));
    }
};

/* ---- messages -----------------------------------------------------------------------------------------------------
 */

/* Messages with a tag of type Tag and a payload of elements of type T. The tag size is set for the object's lifetime,
 * from the next superstep on. */
template <class Tag, class T> class mailbox {
  public:
    struct message {
        Tag tag;
        span<const T> payload; /* valid to the next sync */
    };

    mailbox() : before_(sizeof(Tag)) {
        detail::movable<Tag>();
        detail::movable<T>();
        bsp_set_tagsize(&before_);
    }
    mailbox(const mailbox &) = delete;
    mailbox &operator=(const mailbox &) = delete;
    ~mailbox() { bsp_set_tagsize(&before_); }

    void send(int pid, const Tag &tag, const T &value) const { send(pid, tag, detail::one(value)); }
    void send(int pid, const Tag &tag, span<const T> payload) const {
        bsp_send(pid, &tag, payload.data(), payload.size() * sizeof(T));
    }

    /* Messages that are left in the queue. */
    std::size_t size() const {
        std::size_t packets;
        bsp_qsize(&packets, nullptr);
        return packets;
    }

    /* `for (auto m : box)` takes the messages out of the queue one after the other. */
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = message;
        using difference_type = std::ptrdiff_t;
        using pointer = const message *;
        using reference = const message &;
        iterator() = default;
        explicit iterator(std::size_t left) : left_(left) { take(); }
        const message &operator*() const { return now_; }
        const message *operator->() const { return &now_; }
        iterator &operator++() {
            left_--;
            take();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const iterator &a, const iterator &b) { return a.left_ == b.left_; }
        friend bool operator!=(const iterator &a, const iterator &b) { return a.left_ != b.left_; }

      private:
        void take() {
            if (!left_) return;
            void *tag, *payload;
            std::ptrdiff_t n = bsp_hpmove(&tag, &payload);
            if (n < 0 || std::size_t(n) % sizeof(T) != 0)
                bsp_abort("bsp::mailbox: a message of %td bytes where elements have %zu (rank %d)", n, sizeof(T),
                          pid());
            std::memcpy(&now_.tag, tag, sizeof(Tag));
            now_.payload = span<const T>(static_cast<const T *>(payload), std::size_t(n) / sizeof(T));
        }
        std::size_t left_ = 0;
        message now_{};
    };
    iterator begin() const { return iterator(size()); }
    iterator end() const { return iterator(); }

  private:
    std::size_t before_;
};

/* ---- collective operations: every process calls them with the same root, sizes and operator ------------------------
 */

namespace detail {

/* x = op(x, y) on elements, as the C library calls it. */
template <class T, class Op>
inline void fold(void *accumulator, const void *operand, std::size_t count, void *context) {
    T *a = static_cast<T *>(accumulator);
    const T *b = static_cast<const T *>(operand);
    Op &op = *static_cast<Op *>(context);
    guarded("bsp::reduce", [&] {
        for (std::size_t i = 0; i < count; i++) a[i] = op(a[i], b[i]);
    });
}

} // namespace detail

template <class T> inline void broadcast(int root, span<T> range) {
    detail::movable<T>();
    sup_bsp_broadcast(root, range.data(), range.size() * sizeof(T));
}
template <class T> inline T broadcast(int root, T value) {
    broadcast(root, span<T>(&value, 1));
    return value;
}

/* One value of each process, in order of rank; on the root only, elsewhere empty. */
template <class T> inline std::vector<T> gather(int root, const T &value) {
    detail::movable<T>();
    std::vector<T> all(pid() == root ? std::size_t(nprocs()) : 0);
    sup_bsp_gather(root, &value, sizeof(T), all.data());
    return all;
}
/* The same on all. */
template <class T> inline std::vector<T> allgather(const T &value) {
    detail::movable<T>();
    std::vector<T> all(static_cast<std::size_t>(nprocs()));
    sup_bsp_allgather(&value, sizeof(T), all.data());
    return all;
}
/* Element i of the root's nprocs() to process i; other processes may give nothing. */
template <class T> inline T scatter(int root, span<const T> values) {
    detail::movable<T>();
    if (pid() == root && values.size() != std::size_t(nprocs()))
        bsp_abort("bsp::scatter: %zu values for %d processes (rank %d)", values.size(), nprocs(), pid());
    T mine;
    sup_bsp_scatter(root, values.data(), sizeof(T), &mine);
    return mine;
}
/* Element j of process i becomes element i of process j. */
template <class T> inline std::vector<T> total_exchange(span<const T> values) {
    detail::movable<T>();
    if (values.size() != std::size_t(nprocs()))
        bsp_abort("bsp::total_exchange: %zu values for %d processes (rank %d)", values.size(), nprocs(), pid());
    std::vector<T> got(values.size());
    sup_bsp_total_exchange(values.data(), sizeof(T), got.data());
    return got;
}
template <class T> inline T scatter(int root, const std::vector<T> &values) {
    return scatter(root, span<const T>(values));
}
template <class T> inline std::vector<T> total_exchange(const std::vector<T> &values) {
    return total_exchange(span<const T>(values));
}

/* Element by element x_0 op x_1 op … in order of rank; op is any function of two elements that is associative. */
template <class T, class Op = std::plus<T>> inline void allreduce(span<const T> send, span<T> recv, Op op = Op()) {
    detail::movable<T>();
    sup_bsp_allreduce(detail::fold<T, Op>, &op, sizeof(T), send.data(), recv.data(), send.size());
}
template <class T, class Op = std::plus<T>> inline T allreduce(const T &value, Op op = Op()) {
    T result;
    allreduce(span<const T>(&value, 1), span<T>(&result, 1), op);
    return result;
}
template <class T, class Op = std::plus<T>> inline std::vector<T> allreduce(const std::vector<T> &send, Op op = Op()) {
    std::vector<T> result(send.size());
    allreduce(span<const T>(send), span<T>(result), op);
    return result;
}
/* The same on the root; elsewhere recv is not written and the value is what was given. */
template <class T, class Op = std::plus<T>>
inline void reduce(int root, span<const T> send, span<T> recv, Op op = Op()) {
    detail::movable<T>();
    sup_bsp_reduce(root, detail::fold<T, Op>, &op, sizeof(T), send.data(), recv.data(), send.size());
}
template <class T, class Op = std::plus<T>> inline T reduce(int root, const T &value, Op op = Op()) {
    T result = value;
    reduce(root, span<const T>(&value, 1), span<T>(&result, 1), op);
    return result;
}
/* x_0 op … op x_s on process s. */
template <class T, class Op = std::plus<T>> inline void scan(span<const T> send, span<T> recv, Op op = Op()) {
    detail::movable<T>();
    sup_bsp_scan(detail::fold<T, Op>, &op, sizeof(T), send.data(), recv.data(), send.size());
}
template <class T, class Op = std::plus<T>> inline std::vector<T> scan(const std::vector<T> &send, Op op = Op()) {
    std::vector<T> result(send.size());
    scan(span<const T>(send), span<T>(result), op);
    return result;
}
template <class T, class Op = std::plus<T>> inline T scan(const T &value, Op op = Op()) {
    T result;
    scan(span<const T>(&value, 1), span<T>(&result, 1), op);
    return result;
}

} // namespace bsp
#endif

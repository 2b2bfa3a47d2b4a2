/* A C++ program in the manner of bsp.hpp: registrations that end with their scope, typed transfers and messages,
 * collective operations with any operator. It starts the one of cxx.cc too. */
#include "cxx.h"

#include <array>
#include <bsp.hpp>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>

static int rules;

static void rule(bool holds, const char *text) {
    int all = bsp::allreduce(holds ? 1 : 0, [](int a, int b) { return a & b; });
    if (!holds) std::printf("not ok %d - %s\n", rules + 1, text);
    if (!all) bsp::abort("hpp: a rule is broken: %s", text);
    rules++;
    if (bsp::pid() == 0) std::printf("ok %d - %s\n", rules, text);
}

struct point {
    double x, y;
    int owner;
};

static void memory() {
    const int p = bsp::nprocs(), s = bsp::pid(), right = (s + 1) % p, left = (s + p - 1) % p;
    bsp::array<point> points(p + 3); /* of another size than others' */
    std::vector<long> values(2 * std::size_t(s) + 4, -1);
    bsp::area named(values);
    static_assert(std::is_same_v<decltype(named), bsp::area<long>>, "the element type is deduced");
    int counter = s;
    bsp::area<int> single(counter);
    bsp::sync();
    points.put(right, point{0.5 * s, -0.5 * s, s}, 2);
    const std::array<long, 2> two{10L * s, 10L * s + 1};
    named.put(right, two, 1);
    bsp::sync();
    rule(points[2].owner == left && points[2].x == 0.5 * left && points.size() == std::size_t(p) + 3 &&
             points[0].owner == 0,
         "typed puts of values, elements of an array count");
    rule(values[0] == -1 && values[1] == 10L * left && values[2] == 10L * left + 1 && values[3] == -1,
         "typed puts of ranges into a vector");
    int theirs = -1;
    std::vector<long> got(2);
    named.get(left, got, 1);
    single.get(left, theirs);
    bsp::sync();
    rule(theirs == left && got[0] == 10L * ((left + p - 1) % p) && got[1] == got[0] + 1, "typed gets");
    rule(single.read(right) == right && points.read(right, 2).owner == s, "reading another's element at once");
    counter = 100 + s;
    const std::vector<point> many(3, point{1, 2, s});
    points.hpput(right, many);
    single.hpget(s, bsp::span<int>(&theirs, 1));
    bsp::sync();
    rule(points[0].owner == left && points[2].owner == left && theirs == 100 + s, "unbuffered transfers");
    bsp::area<int> moved(std::move(single));
    moved.put(right, s);
    bsp::sync();
    rule(counter == left, "a registration that was moved is popped once");
}

/* Scopes end in the superstep of a transfer to what they own. */
static void lifetimes() {
    const int p = bsp::nprocs(), s = bsp::pid();
    for (int round = 0; round < 5; round++) {
        bsp::array<int> shared(1000);
        bsp::sync();
        std::vector<int> data(1000, round);
        shared.put((s + round) % p, data);
    }
    bsp::sync();
    std::vector<int> nothing; /* a process may have none */
    bsp::area<int> uneven(s == 0 ? bsp::span<int>() : bsp::span<int>(nothing));
    bsp::sync();
    rule(true, "an array may end in the superstep of transfers to it");
}

static void messages() {
    const int p = bsp::nprocs(), s = bsp::pid();
    {
        bsp::mailbox<int, double> box;
        bsp::sync();
        for (int q = 0; q < p; q++) box.send(q, s, std::vector<double>(std::size_t(q), 0.25 * s));
        bsp::sync();
        std::vector<bool> seen(std::size_t(p), false);
        bool right = box.size() == std::size_t(p);
        for (const auto &m : box) {
            right = right && !seen[std::size_t(m.tag)] && m.payload.size() == std::size_t(s);
            for (double x : m.payload) right = right && x == 0.25 * m.tag;
            seen[std::size_t(m.tag)] = true;
        }
        rule(right && box.size() == 0, "a mailbox is a range of messages with tags and payloads");
        box.send((s + 1) % p, 7, 1.5);
        bsp::sync();
        auto m = box.begin();
        rule(m->tag == 7 && m->payload.size() == 1 && m->payload[0] == 1.5, "one value is a payload too");
    }
    bsp::sync();
    std::size_t size = 0;
    bsp_set_tagsize(&size);
    rule(size == 0, "the tag size ends with the mailbox");
}

static void collectives() {
    const int p = bsp::nprocs(), s = bsp::pid();
    bool right = true;
    for (int root = 0; root < p; root++) {
        right = right && bsp::broadcast(root, 10 * s) == 10 * root;
        std::vector<int> all = bsp::gather(root, s * s);
        right = right && all.size() == std::size_t(s == root ? p : 0);
        for (std::size_t i = 0; i < all.size(); i++) right = right && all[i] == int(i * i);
        std::vector<point> cards(s == root ? std::size_t(p) : 0);
        for (std::size_t i = 0; i < cards.size(); i++) cards[i].owner = int(i) + root;
        right = right && bsp::scatter(root, cards).owner == s + root;
    }
    std::vector<double> many(2000, s == 0 ? 2.5 : 0);
    bsp::broadcast(0, bsp::span<double>(many));
    rule(right && many.front() == 2.5 && many.back() == 2.5, "broadcast, gather and scatter");
    std::vector<int> all = bsp::allgather(s + 1), row(std::size_t(p), s);
    std::vector<int> column = bsp::total_exchange(row), order(std::size_t(p), 0);
    std::iota(order.begin(), order.end(), 0);
    rule(column == order && std::accumulate(all.begin(), all.end(), 0) == p * (p + 1) / 2,
         "allgather and total exchange");
    int calls = 0;
    auto larger = [&calls](double a, double b) { return calls++, a > b ? a : b; };
    rule(bsp::allreduce(0.5 * s, larger) == 0.5 * (p - 1) && bsp::scan(-1.0 * s, larger) == 0.0,
         "reduction and scan with a lambda");
    rule(bsp::allreduce(s) == p * (p - 1) / 2 && bsp::scan(1) == s + 1 && bsp::reduce(0, 2) == (s == 0 ? 2 * p : 2),
         "sums need no operator");
    std::vector<long> vector(3000), sums = bsp::allreduce(std::vector<long>(3000, s));
    std::iota(vector.begin(), vector.end(), 0L);
    std::vector<long> prefix = bsp::scan(vector);
    rule(sums[0] == p * (p - 1) / 2 && sums[2999] == sums[0] && prefix[2999] == 2999L * (s + 1),
         "vectors element by element");
}

static void spmd() {
    bsp::run([] {
        classic_program();
        rule(true, "a C++ program with the calls of bsp.h");
        memory();
        lifetimes();
        messages();
        collectives();
        sup_bsp_release();
        if (bsp::pid() == 0) std::printf("1..%d\n", rules);
    });
}

/* With an argument: an exception on one process ends the run and says what it was. */
static void throwing() {
    bsp::run([] {
        if (bsp::pid() == bsp::nprocs() - 1) throw std::runtime_error("thrown on purpose");
        bsp::sync();
    });
}

int main(int argc, char **argv) {
    bsp::init(argc > 1 ? throwing : spmd, argc, argv);
    argc > 1 ? throwing() : spmd();
    return 0;
}

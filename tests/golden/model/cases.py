"""What is run and predicted in the sets of this folder: patterns (as apps/patterns.c has them), cases, descriptions.

A case is a dictionary: name, kind, and either
    pattern, bytes, move            supersteps of apps/exchange, with engine (over MPI) or barrier (over shm) where that
                                    is not the usual one
    stages                          several of those, one after the other, each with a pattern, bytes and a move
    program, size                   a whole program: inprod, sort, jacobi
Its kind says which floor is its own: barrier, exchange, one-way, unlike, program.
"""

SIZES = (16, 200, 1024, 10000, 50000, 200000, 700000)  # not those of measure/exchanges_plan.c
FEW = (16, 1024, 50000, 700000)
MIXED = ("put", "get", "hpput", "send")
DEGREE = 3
MASK = (1 << 64) - 1


# ---- patterns: to whom a process sends its k-th message; None: no more ----

def columns_of(p):
    return max(c for c in range(1, p + 1) if c * c <= p and p % c == 0)


def grid(p, me, k):
    columns = columns_of(p)
    rows, r, c = p // columns, me // columns, me % columns
    return [(r + 1) % rows * columns + c, (r - 1) % rows * columns + c, r * columns + (c + 1) % columns,
            r * columns + (c - 1) % columns, None][min(k, 4)]


def transpose(p, me, k):
    columns = columns_of(p)
    return me % columns * (p // columns) + me // columns if k == 0 else None


def tree(p, me, k):
    far = 1
    while 2 * far < p:
        far *= 2
    return me + far if k == 0 and me < far and me + far < p else None


def mix(a, b):
    z = (a * 64 + b + 1) * 0x9E3779B97F4A7C15 & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def sparse(p, me, k):
    n = p - 1
    degree, chosen = min(n, DEGREE), []
    if k >= degree:
        return None
    for i in range(k + 1):
        j = n - degree + i
        t = mix(me, i) % (j + 1)
        chosen.append(j if t in chosen else t)
    return chosen[k] if chosen[k] < me else chosen[k] + 1


PATTERNS = {
    "none": lambda p, me, k: None,
    "one": lambda p, me, k: 1 if k == 0 and me == 0 and p > 1 else None,
    "back": lambda p, me, k: 0 if k == 0 and me == 1 and p > 1 else None,
    "couples": lambda p, me, k: me + 1 if k == 0 and me % 2 == 0 and me + 1 < p else None,
    "shift": lambda p, me, k: (me + 1) % p if k == 0 else None,
    "ring": lambda p, me, k: (me + 1) % p if k == 0 else (me - 1) % p if k == 1 and p > 2 else None,
    "grid": grid,
    "out": lambda p, me, k: k + 1 if me == 0 and k + 1 < p else None,
    "in": lambda p, me, k: 0 if k == 0 and me > 0 else None,
    "all": lambda p, me, k: (me + k + 1) % p if k + 1 < p else None,
    "tree": tree,
    "half": lambda p, me, k: me + p // 2 if k == 0 and me < p // 2 else None,
    "transpose": transpose,
    "sparse": sparse,
}


def edges(pattern, p, size, move):
    """[(from, to, bytes, move)] of a superstep."""
    found = []
    for me in range(p):
        k = 0
        while True:
            to = PATTERNS[pattern](p, me, k)
            if to is None:
                break
            if to != me:
                count = size // 2 + mix(me, k + 32) % (size + 1) if pattern == "sparse" else size
                found.append((me, to, count, MIXED[len(found) % 4] if move == "mixed" else move))
            k += 1
    return found


# ---- cases ----

def exchange(kind, pattern, size, move="put", **more):
    name = "%s-%d-%s" % (pattern, size, move) + "".join("-" + str(v) for v in more.values())
    return dict(name=name, kind=kind, pattern=pattern, bytes=size, move=move, **more)


def two_phase(p, size):
    """A broadcast: a part to each, then every part to everybody."""
    part = -(-size // p)
    return dict(name="two-phase-%d" % size, kind="one-way", bytes=size, stages=[("out", part, "put"), ("all", part, "put")])


def all_cases(net, p):
    """In this order each is one run; what another one is already, at so few processes, is left out."""
    found = [exchange("barrier", "none", 0)]
    if net == "shm":
        found += [exchange("barrier", "none", 0, barrier=b) for b in ("linear", "tree", "dissemination")]
    for pattern in ("shift", "ring", "grid", "all"):
        found += [exchange("exchange", pattern, size) for size in SIZES if pattern != "all" or size * p <= 4000000]
    found += [exchange("exchange", "shift", size, move) for move in ("hpput", "get", "send") for size in FEW]
    for pattern in ("one", "couples", "out", "in"):
        for move in ("put", "get", "hpput"):
            found += [exchange("one-way", pattern, size, move) for size in FEW]
    found += [two_phase(p, size) for size in (1024, 50000, 700000) if p > 2]
    for pattern in ("sparse", "transpose", "half", "tree"):
        found += [exchange("unlike", pattern, size) for size in FEW]
    found += [exchange("unlike", pattern, size, "mixed") for pattern in ("grid", "sparse") for size in FEW]
    if net != "shm":
        found += [exchange("exchange", "shift", size, "put", engine=e) for e in ("eager", "bulk") for size in FEW]
        found += [exchange("exchange", "all", size, "put", engine=e) for e in ("eager", "bulk") for size in (200, 10000)]
    found += [dict(name="%s-%d" % (name, size), kind="program", program=name, size=size)
              for name, sizes in (("inprod", (20000, 200000, 2000000)), ("sort", (30000, 600000)), ("jacobi", (200, 1000)))
              for size in sizes]
    return without_twins(found, p)


def without_twins(cases, p):
    kept, seen = [], set()
    for case in cases:
        if "pattern" in case:
            moved = tuple(edges(case["pattern"], p, case["bytes"], case["move"]))
            key = (moved, case.get("engine"), case.get("barrier"))
            if key in seen or (not moved and case["pattern"] != "none"):
                continue
            seen.add(key)
        kept.append(case)
    return kept


# ---- superstep-program(5) ----

def superstep(found, compute=()):
    step = {"compute": list(compute)} if compute else {}
    by_move = {}
    for source, to, count, move in found:
        by_move.setdefault(move, []).append([source, to, 1, count])
    if by_move:
        step["communicate"] = [{"pattern": "sparse", "kind": move, "edges": list_} for move, list_ in by_move.items()]
    return step


def dealt(total, p):
    return [total // p + (r < total % p) for r in range(p)]


def work(kernel, units, footprint):
    return {"kernel": kernel, "units": units, "footprint_bytes": footprint}


def whole_program(name, size, p):
    own = dealt(size, p)
    everybody = [(i, j) for i in range(p) for j in range(p)]
    if name == "inprod":
        return [superstep([(i, j, 8, "put") for i, j in everybody], [work("dot", own, [16 * n for n in own])])]
    if name == "jacobi":  # old and new rows, with those of the neighbours
        border = [(i, j, 8 * (size + 2), "put") for i, j in everybody if abs(i - j) == 1]
        return [superstep(border, [work("stencil5", [size * rows for rows in own], [16 * (size + 2) * (rows + 2) for rows in own])])]
    sorting = work("radix", [4 * n for n in own], [12 * n for n in own])
    return [superstep([(i, j, 4 * p, "put") for i, j in everybody], [sorting]),
            superstep([(i, j, 4 * own[i] // p, "send") for i, j in everybody], [work("radix", 4 * p * p, 12 * p * p)]),
            superstep([], [work("copy", [n // 2 for n in own], [8 * n for n in own]), sorting])]


def supersteps(case, p):
    """What a case asks for, as the supersteps of a description."""
    if "program" in case:
        return whole_program(case["program"], case["size"], p)
    stages = case.get("stages") or [(case["pattern"], case["bytes"], case["move"])]
    return [superstep(edges(pattern, p, size, move)) for pattern, size, move in stages]


def description(steps, p):
    return {"kind": "superstep-program", "schema": 1, "processes": p, "supersteps": steps}

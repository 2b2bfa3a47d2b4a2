"""docs/results.md from what `evaluate` found: how far predictions are from what was measured."""
import re

OTHERS = ("meyer", "bsp", "loggp", "hockney")
KINDS = {
    "barrier": "Barriers",
    "exchange": "Exchanges",
    "one-way": "One-way traffic",
    "unlike": "Patterns that nothing in a profile resembles",
    "held-out": "Another number of processes than the profile's",
    "program": "Whole programs",
}
ABOUT = {
    "barrier": "Supersteps that ask for nothing, and over shared memory each algorithm of the barrier.",
    "exchange": "Shifts, rings, grids, all-to-all, 16 bytes to 700 KB a message; puts, unbuffered puts, gets, sends; over MPI "
                "also both engines.",
    "one-way": "One sender, couples, broadcasts (flat, two-phase), gathers.",
    "unlike": "Random sparse relations, a transposition, half to half, a stage of a tree, mixed moves.",
    "held-out": "4<8: four processes, priced from the profile of eight; from that of fewer, through `superstep machine`.",
    "program": "Inner product, sample sort, Jacobi iteration: the median iteration of runs that are not recorded; computation "
               "from the rates of kernels in the profile.",
}
INTRODUCTION = """# How good predictions are

`tests/golden/model` holds profiles of machines and what programs took there, in other launches than those that the
profiles were made in. This page is what `superstep predict` says of those programs from these profiles, without having
seen a run; `tests/golden/model/evaluate build/src/cli/superstep tests/golden/model --markdown` writes it.

The error of a case is |predicted / measured − 1|, of the typical prediction and the median launch. *Inside* is the share
of launches that lie in the interval which is to hold nine of ten; barriers, exchanges and one-way traffic are judged by
it together, "alike". Models other than `flow` (the default) are the
published ones, priced from the same profile: mean error, and the worst one. Bold: misses its floor. A case that a model
cannot price counts as 100 %; – is where it can price none of them. tests/golden/model/README.md says how the sets were made,
and with which of them in view constants were chosen; `misses` beside it has a cause for each miss.

| floors | mean error | worst | inside |
| --- | --- | --- | --- |
| barriers, exchanges, one-way traffic | 10 % | 25 % | 85 to 95 % |
| patterns that nothing in a profile resembles | 15 % | 35 % | 80 to 95 % |
| another number of processes | 20 % | 50 % | 80 to 95 % |
| whole programs | 12 % | 25 % | 80 to 95 % |
| ranking of alternatives that differ by more than 10 % | 95 % right | | |
| width of intervals, against what was seen between launches | 1 to 2 | | |
"""


def percent(x, holds=True):
    words = "%.1f %%" % (100 * x) if x < 0.0995 else "%.0f %%" % (100 * x)
    return words if holds else "**%s**" % words


def table(kind, found, others, judge, summary):
    rows = []
    for i, (s, label, cases) in enumerate(found):
        mine = [c for c in cases if c.kind == kind]
        if not mine:
            continue
        mean, worst, share = summary(mine)
        holds = {what: ok for k, what, _, _, ok in judge(mine) if k == kind}
        row = [s.machine, s.net, label, str(len(mine)), percent(mean, holds["mean"]), percent(worst, holds["worst"]),
               percent(share, holds.get("cover", True))]
        for name in OTHERS:
            theirs = [c for c in others[name][i][2] if c.kind == kind]
            if all(c.guess is None for c in theirs):
                row.append("–")
            else:
                m, w, _ = summary(theirs)
                row.append("%s, %s" % (percent(m), percent(w)))
        rows.append(row)
    if rows:
        print("\n## %s\n\n%s\n" % (KINDS[kind], ABOUT[kind]))
        head = ["set", "transport", "P", "cases", "mean", "worst", "inside"] + list(OTHERS)
        print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
        for row in rows:
            print("| " + " | ".join(row) + " |")


def rankings(found, others, judge, ranking):
    print("\n## Ranking, and width of intervals\n\nOf pairs of alternatives (put, unbuffered put, get; engines; flat and "
          "two-phase broadcast; barriers) that differ by\nmore than 10 %, how many are predicted in the right order; and the "
          "median width of an interval over what 90 % of launches\nspread.\n")
    head = ["set", "transport", "P", "flow"] + list(OTHERS) + ["width", "inside, alike"]
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for i, (s, label, cases) in enumerate(found):
        right, wrong = ranking(cases)
        if "<" in label or not right + len(wrong):
            continue
        holds = {kind: (ok, words) for kind, _, _, words, ok in judge(cases) if kind in ("ranking", "width", "alike")}
        row = [s.machine, s.net, label]
        words = "%d of %d" % (right, right + len(wrong))
        row.append(words if holds["ranking"][0] else "**%s**" % words)
        for name in OTHERS:
            r, w = ranking(others[name][i][2])
            row.append("%d of %d" % (r, r + len(w)))
        ok, words = holds.get("width", (True, "–"))
        row.append(words.split()[0] if ok else "**%s**" % words.split()[0])
        ok, words = holds.get("alike", (True, "–"))
        words = words.partition(" of ")[0]
        row.append(words if ok else "**%s**" % words)
        print("| " + " | ".join(row) + " |")


def largest(found, count=20):
    every = [(c.error, s, label, c) for s, label, cases in found for c in cases]
    every.sort(key=lambda e: -e[0])
    print("\n## The largest errors\n\n| set | transport | P | case | measured | predicted | error |\n|" + " --- |" * 7)
    for error, s, label, c in every[:count]:
        if c.why:
            print("| %s | %s | %s | %s | %s | | |" % (s.machine, s.net, label, c.name, c.why))
        else:
            print("| %s | %s | %s | %s | %.2f us | %.2f us | %+.0f %% |" % (
                s.machine, s.net, label, c.name, c.truth * 1e6, c.guess * 1e6, 100 * (c.guess / c.truth - 1)))


def misses(listed):
    print("\n## What misses its floor, and why\n")
    if not listed:
        print("Nothing.")
    for key, words in listed.items():
        words = re.sub(r"\*", r"\\*", words)
        print("- %s, %s, P = %s, %s (%s): %s" % (*key, words))


def write(found, others, listed, judge, summary, ranking):
    print(INTRODUCTION.rstrip())
    for kind in KINDS:
        table(kind, found, others, judge, summary)
    rankings(found, others, judge, ranking)
    largest(found)
    misses(listed)

#!/usr/bin/env python3
"""Lines of ranks arrive whole, all of them, in order, with the label of who wrote them; long ones too.

    lines_test.py SUPERSTEP PROGRAM NET COUNT

Through an MPI both ways: ranks on this machine write to the launcher, those of others by way of MPI's daemons, which is
had here by a rank that is not told where the launcher is.
"""
import os
import re
import subprocess
import sys
import tempfile

superstep, program, net, count = os.path.realpath(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
RANKS = 4
failures = 0


def complain(what):
    global failures
    failures += 1
    if failures < 10:
        print(f"not ok {net}: {what}")


def look(what, text, letter, label):
    following = [0] * RANKS
    for line in text.splitlines(keepends=True):
        m = re.fullmatch(r"(\[(\d+)\] )?([oe])(\d+):(\d+):(\d+):(.*)\n", line)
        if not m:
            complain(f"{what}: no line of a rank: {line[:100]!r} …")
            continue
        rank, number, length = int(m[4]), int(m[5]), int(m[6])
        whole = m[7] == chr(ord("a") + rank) * length and m[3] in letter and (m[2] == m[4] if label else not m[1])
        if not whole or (len(letter) == 1 and number != following[rank]):
            complain(f"{what}: {line[:100]!r} …")
        following[rank] += 1
    if following != [count * len(letter)] * RANKS:
        complain(f"{what}: lines of the ranks: {following}")


def run(what, env, *options, together=False):
    done = subprocess.run([superstep, "run", "--net", net, "-n", str(RANKS), *options, program, str(count)]
                          + ["whole"] * together, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT if together else subprocess.PIPE, text=True)
    if done.returncode:
        complain(f"{what}: status {done.returncode}")
    if together:
        look(what + ", both", done.stdout, "oe", "--prefix" in options)
        return
    look(what + ", stdout", done.stdout, "o", "--prefix" in options)
    look(what + ", stderr", done.stderr, "e", "--prefix" in options)


there = subprocess.run([superstep, "run", "--net", net, "--dry-run", "true"], capture_output=True)
if there.returncode:
    print(f"skipped: no {net} here", file=sys.stderr)
    sys.exit(77)
run("here", os.environ)
run("here", os.environ, "--prefix")
run("here", os.environ, together=True)
if net in ("openmpi", "mpich"):
    with tempfile.TemporaryDirectory() as work:
        names = ("mpirun.openmpi", "mpirun") if net == "openmpi" else ("mpiexec.hydra", "mpiexec.mpich", "mpiexec")
        paths = [os.path.join(d, n) for n in names for d in os.environ["PATH"].split(":")]
        real = next(p for p in paths if os.access(p, os.X_OK))
        # the launcher, told to start another program around the ranks: one that forgets the way
        with open(f"{work}/{names[0]}", "w") as f:
            f.write(f"""#!/bin/bash
words=()
for word; do
    [ "$word" = "{superstep}" ] && word={work}/rank
    words+=("$word")
done
exec "{real}" "${{words[@]}}"
""")
        with open(f"{work}/rank", "w") as f:
            f.write(f'#!/bin/sh\nunset SUPERSTEP_DIRECT\nexec "{superstep}" "$@"\n')
        for name in (names[0], "rank"):
            os.chmod(f"{work}/{name}", 0o755)
        env = dict(os.environ, PATH=f"{work}:{os.environ['PATH']}")
        run("carried", env)
        run("carried", env, "--prefix")
        run("carried", env, together=True)
print(f"{net}: lines: {failures} failures")
sys.exit(failures != 0)

#!/usr/bin/env python3
"""The nth failure in one process of a run, n = 1, 2, … until there are no more. SCENEs are what the program takes:

    sweep.py net PROGRAM SCENE…             net, messages, regions, opening, running, levels; far-…
    sweep.py bsp PROGRAM SCENE…             engines; needs --superstep
    sweep.py mpi PROGRAM SCENE…             fatal, return; needs --preload and --with

--net self|shm|openmpi|mpich, --processes P, --with FILE (tests/net/with-mpi); --dense N, --step S: after the first N
calls every Sth; --victims A,B; --most N: no more calls than that.

Each run must end by itself and leave no process behind: with the same status on all processes, and right data where that
is success; or, where a process cannot go on and there is no status that it could give, as a whole, with an error and a
reason. A time limit only ends what hangs: it is a hundred times what a run takes."""

import argparse
import os
import re
import signal
import subprocess
import sys
import time

LIMIT_S = 60
MARK = "INJECT_RUN"
EPEER, WRONG_DATA, SKIPPED = -10, 3, 77


def command(args, scene, numbers):
    if args.kind == "bsp":
        return [args.superstep, "run", "--net", args.net, "-n", str(args.processes), "--engine", scene, args.program, *numbers]
    if args.kind == "mpi":
        return [args.wrapper, args.net, str(args.processes), "env", "LD_PRELOAD=" + args.preload, "SUPERSTEP_MPI_WHEN=always",
                args.program, scene, *numbers]
    if args.net == "shm":
        return [args.program, "--part", str(args.processes), scene, *numbers]
    if args.net == "self":
        return [args.program, "--net", "self", scene, *numbers]
    return [args.wrapper, args.net, str(args.processes), args.program, "--net", args.net, scene, *numbers]


def left_behind(mark):
    """Processes of the run that are still there, after a moment in which the last of them may end."""
    for _ in range(200):
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if mark in file.read():
                        left.append(int(pid))
            except OSError:
                continue
        if not left:
            return left
        time.sleep(0.05)
    return left


class Run:
    def __init__(self, args, scene, victim, n, lasting):
        self.args = args
        self.name = f"{args.kind}, {args.net}, {args.processes} processes, {scene}, rank {victim}, call {n}"
        self.name += " and all later ones" if lasting else ""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SUPERSTEP_")}
        environment[MARK] = mark = f"{os.getpid()}.{scene}.{victim}.{n}.{lasting}"
        process = subprocess.Popen(command(args, scene, [str(victim), str(n), str(lasting)]), env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True)
        try:
            self.out, self.err = process.communicate(timeout=args.limit)
            self.code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.out, self.err = process.communicate()
            self.code = None
        self.left = left_behind(f"{MARK}={mark}".encode() + b"\0")
        for pid in self.left:
            os.kill(pid, signal.SIGKILL)
        found = [tuple(map(int, m)) for m in re.findall(r"^(-?\d+) (-?\d+) (\d+)$", self.out, re.M)]
        self.status = sorted(s for _, s, _ in found)
        self.calls = max((c for _, _, c in found), default=0)
        self.over = self.code == 0 and self.calls < n
        self.wrong = self.mistake()
        if self.wrong:
            print(f"{self.name}: {self.wrong}", f"ended with {self.code}, said {self.status}", *self.err.splitlines()[:8], sep="\n    ",
                  flush=True)

    def mistake(self):
        if self.code is None:
            return "hangs"
        if self.code == SKIPPED:
            sys.exit(SKIPPED)
        if self.left:
            return f"leaves {len(self.left)} processes behind"
        if self.code < 0 or self.code > 128:
            return "is ended by a signal"
        if self.code == WRONG_DATA and self.args.kind != "bsp" or "wrong" in self.err:
            return "wrong data, or another status than was said before"
        if self.code == 0:
            return "" if len(self.status) == self.args.processes and len(set(self.status)) == 1 else "not the same status on all"
        if not self.err.strip():
            return "gives no reason"
        if self.args.kind == "net" and (0 in self.status or len({s for s in self.status if s != EPEER}) > 1):
            return "not the same status on all"
        return ""


def sweep(args, scene):
    wrong, most, ends = 0, 0, {}
    for victim in args.victims or sorted({0, args.processes - 1}):
        for lasting in 0, 1:
            n, over = 1, False
            while not over and n <= args.most and wrong < args.give_up:
                run = Run(args, scene, victim, n, lasting)
                wrong += bool(run.wrong)
                most = max(most, run.calls)
                end = f"status {set(run.status)}" if run.code == 0 else "ended"
                ends[end] = ends.get(end, 0) + 1
                over = run.over
                n += 1 if n < args.dense else args.step
    print(f"{args.kind}, {args.net}, {args.processes} processes, {scene}: {sum(ends.values())} runs, up to {most} calls:",
          ", ".join(f"{v} {k}" for k, v in sorted(ends.items())), flush=True)
    return wrong == 0 and sum(ends.values()) > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["net", "bsp", "mpi"])
    parser.add_argument("--net", default="shm")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--with", dest="wrapper")
    parser.add_argument("--superstep")
    parser.add_argument("--preload")
    parser.add_argument("--dense", type=int, default=1000)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--victims", type=lambda text: [int(v) for v in text.split(",")])
    parser.add_argument("--give-up", type=int, default=5, help="after so many mistakes")
    parser.add_argument("--limit", type=float, default=LIMIT_S)
    parser.add_argument("program")
    parser.add_argument("scene", nargs="+")
    args = parser.parse_args()
    good = [sweep(args, scene) for scene in args.scene]
    sys.exit(0 if all(good) else 1)


main()

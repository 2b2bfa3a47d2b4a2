#!/usr/bin/env python3
"""Asks runs to end at random moments of their first tenth of a second, each by one signal.

    early_test.py SUPERSTEP KILL_TARGET NET COUNT

Every time the run ends within SUPERSTEP_KILL_BOUND seconds (2 s are promised, a loaded machine may stall for some more:
20) by that signal or with 128 + its number, and leaves no process: this one adopts whatever is orphaned, so a child is
one. At the end nothing new of that transport is in /dev/shm or in the folder for temporary files."""
import ctypes, os, random, shutil, signal, subprocess, sys, tempfile, time

superstep, target, net, count = sys.argv[1:4] + [int(sys.argv[4])]
bound = float(os.environ.get("SUPERSTEP_KILL_BOUND", "20"))
random.seed(int(os.environ.get("SUPERSTEP_TEST_SEED", os.getpid())))
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
NAMES = {"openmpi": ("vader_", "open_mpi", "ucx_"), "mpich": ("mpich_", "ucx_")}.get(net, "")
PR_SET_CHILD_SUBREAPER = 36
if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
    sys.exit("cannot adopt orphans")
for s in SIGNALS: # whatever this process was started with, the runs shall not ignore them
    signal.signal(s, signal.SIG_DFL)
work = tempfile.mkdtemp()
environment = dict(os.environ, TMPDIR=work)
failures, worst, late = 0, 0.0, 0


def complain(what):
    global failures
    failures += 1
    print("not ok %s: %s" % (net, what), flush=True)


def children():
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit(): continue
        try:
            with open("/proc/%s/stat" % name, errors="replace") as f: stat = f.read()
            if int(stat.rsplit(")", 1)[1].split()[1]) != os.getpid(): continue
            with open("/proc/%s/cmdline" % name, errors="replace") as f: found.append((int(name), f.read().replace("\0", " ")))
        except OSError:
            pass
    return found


def is_mapped(name): # others may run on this machine
    for pid in os.listdir("/proc"):
        try:
            if pid.isdigit() and "/dev/shm/" + name in open("/proc/%s/maps" % pid).read(): return True
        except OSError:
            pass
    return False


before = set(os.listdir("/dev/shm"))
for i in range(1, count + 1):
    size = 1 if net == "self" else random.choice([1, 2, 3, 4, 7])
    sig, delay = random.choice(SIGNALS), random.uniform(0, 0.1)
    what = "run %d, %d processes, %s after %.1f ms" % (i, size, sig.name, 1e3 * delay)
    run = subprocess.Popen([superstep, "run", "--net", net, "-n", str(size), target, "early"], env=environment,
                           stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    start = time.monotonic()
    run.send_signal(sig)
    try:
        code = run.wait(bound)
        if code not in (-sig, 128 + sig): complain("%s: status %d" % (what, code))
    except subprocess.TimeoutExpired:
        complain("%s: still there after %g s" % (what, bound))
        run.kill()
        run.wait()
    took = time.monotonic() - start
    worst, late = max(worst, took), late + (took > 2)
    for pid, name in children():
        complain("%s: left over: %d %s" % (what, pid, name))
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    try:
        while os.waitpid(-1, 0): pass
    except ChildProcessError:
        pass
for name in set(os.listdir("/dev/shm")) - before:
    if name.startswith(NAMES) and not is_mapped(name): complain("left in /dev/shm: " + name)
for name in os.listdir(work): complain("left in the folder for temporary files: " + name)
shutil.rmtree(work)
print("%s: asked %d runs to end, %d failures, slowest end %.0f ms, %d took more than 2 s" %
      (net, count, failures, 1e3 * worst, late))
sys.exit(failures > 0)

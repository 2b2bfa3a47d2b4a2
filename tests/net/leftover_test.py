#!/usr/bin/env python3
"""Kills ranks, and the launcher of MPI, by SIGKILL at random moments, and looks at what is left of their runs: nothing in
/dev/shm, nothing in the folder for temporary files, no process. A second run in the same place goes on all the while,
keeps its files and ends well.

    leftover_test.py SUPERSTEP KILL_TARGET NET COUNT"""
import ctypes, os, random, shutil, signal, subprocess, sys, tempfile, time

superstep, target, net, count = sys.argv[1:4] + [int(sys.argv[4])]
bound = 20 # seconds; how long it takes is another test's
random.seed(int(os.environ.get("SUPERSTEP_TEST_SEED", os.getpid())))
NAMES = ("vader_segment.", "mpich_shar_tmp", "ucx_shm_posix_", "open_mpi.")
PR_SET_CHILD_SUBREAPER = 36
if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
    sys.exit("cannot adopt orphans")
work = tempfile.mkdtemp()
environment = dict(os.environ, TMPDIR=work)
failures = 0


def complain(what):
    global failures
    failures += 1
    print("not ok %s: %s" % (net, what), flush=True)


def processes():
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit(): continue
        try:
            with open("/proc/%s/stat" % name, errors="replace") as f: parent = int(f.read().rsplit(")", 1)[1].split()[1])
            with open("/proc/%s/cmdline" % name, "rb") as f: words = f.read().split(b"\0")
            found.append((int(name), parent, words))
        except OSError:
            pass
    return found


def below(top):
    everybody, found = processes(), {top}
    for _ in range(8):
        found |= {pid for pid, parent, words in everybody if parent in found}
    return [p for p in everybody if p[0] in found and p[0] != top]


def ranks(run): # the program itself, not who started it
    return [pid for pid, parent, words in below(run.pid) if words[0] == target.encode()]


def launchers(run):
    everybody = below(run.pid) # the monitor is our child, and the launcher is its
    ours = {pid for pid, parent, words in everybody if parent == run.pid}
    return [pid for pid, parent, words in everybody if parent in ours and b"mpi" in os.path.basename(words[0])]


def unused(): # others may run on this machine: what they have mapped is not ours
    names = {n for n in os.listdir("/dev/shm") if n.startswith(NAMES)} - before
    for wait in (0, 0.3): # or are about to map
        if names: time.sleep(wait)
        names &= set(os.listdir("/dev/shm"))
        for pid, parent, words in processes() if names else []:
            try:
                with open("/proc/%d/maps" % pid) as f: text = f.read()
                names = {n for n in names if "/dev/shm/" + n not in text}
            except OSError:
                pass
    return names


def start(size, *arguments):
    return subprocess.Popen([superstep, "run", "--net", net, "-n", str(size), target, *arguments], env=environment,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def end(run, what):
    try:
        run.communicate(timeout=bound)
    except subprocess.TimeoutExpired:
        complain("%s: still there after %g s" % (what, bound))
        run.kill()
        run.communicate()
    return run.returncode


before = set(os.listdir("/dev/shm"))
stop = os.path.join(work, "stop")
other = start(2, "other", stop)
if not other.stdout.readline().startswith(b"ready"): sys.exit("the second run does not start")
kept = {n for n in os.listdir("/dev/shm") if n.startswith(NAMES)} - before
kept = {n for n in kept if any(("/dev/shm/" + n) in open("/proc/%d/maps" % pid).read() for pid in ranks(other))}
folders = {os.path.join(f, s) for f in os.listdir(work) for s in os.listdir(os.path.join(work, f))}
if net == "openmpi" and (len(kept) < 2 or len(folders) != 1): complain("where are the files of the second run?")
for i in range(2 * count):
    find = launchers if i % 2 else ranks
    run = start(random.choice([1, 2, 3]), "leftover")
    first = time.monotonic()
    while not find(run) and run.poll() is None and time.monotonic() < first + 20: time.sleep(0.002)
    time.sleep(random.uniform(0, 0.15))
    victims = find(run)
    what = "run %d, %s killed" % (i + 1, "mpirun" if i % 2 else "a rank")
    if not victims: complain(what + ": nobody there")
    for pid in random.sample(victims, 1 if victims else 0): os.kill(pid, signal.SIGKILL)
    if end(run, what) == 0: complain(what + ": ended well")
    for name in unused(): complain("%s: left in /dev/shm: %s" % (what, name))
    now = {os.path.join(f, s) for f in os.listdir(work) for s in os.listdir(os.path.join(work, f))}
    for name in now - folders: complain("%s: left in the folder for temporary files: %s" % (what, name))
    for name in folders - now: complain("%s: took with it: %s" % (what, name))
    for pid, parent, words in processes():
        if b"leftover" in words or (parent == os.getpid() and pid != other.pid): complain("%s: left: %d %s" % (what, pid, words))
    if other.poll() is not None: complain("%s: took the second run with it" % what)
    if failures: break
for name in kept - set(os.listdir("/dev/shm")): complain("took with it: " + name)
open(stop, "w").close()
if end(other, "the second run") != 0: complain("the second run: status %d" % other.returncode)
os.unlink(stop)
for name in os.listdir(work): complain("left in the folder for temporary files: " + name)
shutil.rmtree(work)
print("%s: killed %d ranks and %d launchers, %d failures" % (net, count, count, failures))
sys.exit(failures > 0)

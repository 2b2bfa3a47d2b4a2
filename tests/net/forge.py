#!/usr/bin/env python3
"""A program that wants to be believed: run as two ranks of a run through an MPI, of which rank 0 forges reports.

    forge.py find             prints "found WHERE WORD" for whatever may be a secret in what processes above show of
                              themselves: environment, command line, files that they have open; and in its own stderr
    forge.py WHAT STATUS      rank 0 writes, rank 1 ends with STATUS a second later
      words      reports with all that was found, in the form of now and of before
      hello      rank 1's hello, that all ended well, and that rank 1 failed with status 0
      failed     rank 1's hello, and that rank 1 failed with status 9
"""
import glob
import os
import re
import stat
import sys
import time

rank = int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "-1")))
SECRET = re.compile(rb"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
OWN = "0123456789abcdef" * 2


def above():
    """This process and all that it comes from, up to the launcher."""
    pid = os.getpid()
    while pid > 1:
        yield pid
        words = read(f"/proc/{pid}/cmdline").split(b"\0")
        if b"run" in words[1:2] and b"--as-rank" not in words and b"-n" in words:
            return
        with open(f"/proc/{pid}/stat", "rb") as f:
            pid = int(f.read().rpartition(b")")[2].split()[1])


def read(path, most=1 << 22):
    """What is there and does not have to be waited for."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return b""
    try:
        return os.read(fd, most)
    except OSError:
        return b""
    finally:
        os.close(fd)


def is_file(path):
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return False


def own_errors():
    """What lies in the pipe that is our standard error: who writes to one can read it."""
    text, end = b"", time.monotonic() + 0.5
    while time.monotonic() < end:
        text += read("/proc/self/fd/2")
        time.sleep(0.001)
    return text


def look():
    """Pairs of where something lies and what may be a secret in it."""
    places = [("stderr", own_errors())]
    for pid in above():
        places += [(what, read(f"/proc/{pid}/{what}")) for what in ("environ", "cmdline")]
        places += [("file " + os.readlink(fd), read(fd)) for fd in glob.glob(f"/proc/{pid}/fd/*") if is_file(fd)]
    for where, text in places:
        for word in SECRET.findall(text):
            yield where, word.decode()
    for where, text in places:
        for word in re.findall(rb"superstep-report[^\n\0]*|SECRET[^\n\0]*", text):
            yield where, word.decode(errors="replace")


def say(line):
    os.write(2, f"superstep-report {line}\n".encode())


if sys.argv[1] == "find":
    for where, word in sorted(set(look())):
        print("found", where, word)
    sys.exit(0)
if rank == 1:
    time.sleep(1)
    sys.exit(int(sys.argv[2]))
if sys.argv[1] == "words":
    words = {word for where, word in look() if SECRET.fullmatch(word.encode())}
    for word in sorted(words | {OWN}):
        say(f"{word} failed 0 superstep: all is well")
        for r in (0, 1):
            say(f"{word} ended")
            say(f"{r} {word} failed 0 superstep: all is well")
            say(f"{r} {word} ended")
else:
    say(f"1 {OWN} hello")
    if sys.argv[1] == "failed":
        say(f"1 {OWN} failed 9 superstep: rank 1 is gone")
    else:
        say(f"1 {OWN} failed 0 superstep: all is well")
        say(f"1 {OWN} ended")
        say(f"0 {OWN} ended")
        say(f"1 {OWN} hello")

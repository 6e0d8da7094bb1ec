#!/usr/bin/env python3
"""What may become of a process at each moment while gotrace record --pid attaches to it.

    moments.py GOTRACE TURNS CALL MOMENTS SEED [PROBE...]

Before a system call of gotrace's own, MOMENTS of each phase by lot, the process ends, is killed, executes itself or another
program again, or has ended and its number belongs to another process: of the same binary, or of another. CALL is built from
call.c, TURNS is the program of fixtures/programs. Whatever runs must end as if nothing had been; gotrace must say in one
line that it cannot record, or leave a trace whose counts are true, or marked. The exit status is 1 when something was wrong.
"""
import ctypes
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

from beside import PATIENCE_S
from phases import PHASES, calls_of, phases, read

GOTRACE, TURNS, CALL = (os.path.abspath(a) for a in sys.argv[1:4])
MOMENTS, SEED = int(sys.argv[4]), int(sys.argv[5])
PROBES = {"inline": [], "emulated": [], "thesis": [], "perf": ["--probe=emulated", "--attach=perf"]}
# What it becomes: with which argument it is started, what it ends with, and the words on the way.
HOWS = {
    "ends": ("exit", 5, "ended"),
    "is killed": ("exit", -signal.SIGKILL, "killed"),
    "executes itself": ("self", 3, "again"),
    "executes another program": ("other", 7, "again"),
    "gives its number to its like": ("exit", 3, "again"),
    "gives its number to another program": ("exit", 7, "again"),
}
ANOTHER = ["/bin/sh", "-c", "echo again; read line; echo other; exit 7"]
LIBC = ctypes.CDLL(None, use_errno=True)
SYS_CLONE3 = 435
PTRACE_DETACH = "ptrace.17"


class NumberTaken(Exception):
    """Another process of this machine has got the number."""


def start_as(pid, argv):
    """Starts a program with that process ID: clone3 with set_tid (Linux 5.5)."""
    wanted = struct.pack("i", pid)
    tids = ctypes.create_string_buffer(wanted, len(wanted))
    args = ctypes.create_string_buffer(struct.pack("11Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(tids), 1, 0), 88)
    got = LIBC.syscall(SYS_CLONE3, args, 88)
    if got == 0:
        os.execv(argv[0], argv)
    if got < 0:
        raise NumberTaken(os.strerror(ctypes.get_errno()))


class Target:
    """The process that gotrace attaches to, and what has its number later."""

    def __init__(self, how):
        self.how, self.status = how, None
        self.out = open("out", "wb")
        if not os.path.exists("line"):
            os.mkfifo("line")
        self.line = os.open("line", os.O_RDWR)
        self.pid = self.fork([TURNS, HOWS[how][0]])
        while b"ready" not in read("out"):
            time.sleep(0.005)

    def streams(self):
        os.dup2(self.line, 0)
        os.dup2(self.out.fileno(), 1)
        os.dup2(self.out.fileno(), 2)

    def fork(self, argv):
        pid = os.fork()
        if pid == 0:
            self.streams()
            os.execv(argv[0], argv)
        return pid

    def reap(self, flags=os.WNOHANG):
        if self.status is None:
            pid, status = os.waitpid(self.pid, flags)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        return self.status

    def is_held(self):
        """A thread is traced by gotrace: what the process was told, it does afterwards."""
        try:
            for tid in os.listdir(f"/proc/{self.pid}/task"):
                if b"\nTracerPid:\t0\n" not in read(f"/proc/{self.pid}/task/{tid}/status"):
                    return True
        except OSError:
            pass
        return False

    def turn(self):
        """Makes of it what it is to be. What was held does that later."""
        os.kill(self.pid, signal.SIGKILL if self.how.startswith(("is", "gives")) else signal.SIGUSR1)
        while self.reap() is None and b"again" not in read("out") and not self.is_held():
            time.sleep(0.002)
        if not self.how.startswith("gives"):
            return
        if self.status is None:  # held by a tracer: it keeps its number
            raise NumberTaken("held")
        saved = [os.dup(n) for n in range(3)]
        self.streams()
        try:
            start_as(self.pid, [TURNS, "again"] if HOWS[self.how][1] == 3 else ANOTHER)
        finally:
            for n in range(3):
                os.dup2(saved[n], n)
                os.close(saved[n])
        self.status = None
        while b"again" not in read("out"):
            time.sleep(0.002)

    def end(self):
        """Lets it do its work and end. What is wrong about that; None: nothing."""
        os.write(self.line, b"\n")
        until = time.monotonic() + PATIENCE_S
        while self.reap() is None:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                self.reap(0)
                return "the program does not end"
            time.sleep(0.005)
        os.close(self.line)
        self.out.close()
        return None

    def wrong(self):
        want, printed = HOWS[self.how][1], read("out")
        if self.status != want:
            return f"the program ended with status {self.status}, not {want}: {printed.decode()}"
        word = {3: b"called main.after 300\n", 5: b"called main.before ", 7: b"\nother\n"}.get(want, b"ready")
        return None if word in printed else f"the program printed {printed}"


def records(calls):
    return bool(calls) and "running" in set(phases(calls))


def command(probe, at):
    options = PROBES[probe] or [f"--probe={probe}"]
    return [CALL, "list", f"s{at}", GOTRACE, "record", "-o", "trace", *options, "-f", "main.*"]


def calls_before(printed, name):
    for line in printed.splitlines():
        if line.startswith(f"called {name} ".encode()):
            return int(line.split()[2])
    return None


# Behind the reason for which there are no stubs.
CHOICES = ("gotrace: --probe=emulated records it", "gotrace: to see where its time goes")


def wrong_trace(printed, status, another):
    """What is wrong with what gotrace has left, None: nothing."""
    err = read("err").decode(errors="replace")
    if status == 125:
        lines = [s for s in err.splitlines() if s.startswith("gotrace: ") and "warning:" not in s and not s.endswith("one by one")
                 and "functions are left out" not in s and not s.startswith(CHOICES)]
        return None if len(lines) == 1 else f"not one line: {err}"
    if status:
        return f"gotrace ended with status {status}: {err}"
    report = subprocess.run([GOTRACE, "report", "trace"], capture_output=True, check=False)
    if report.returncode:
        return f"the trace cannot be read: {report.stderr.decode()}"
    csv = subprocess.run([GOTRACE, "report", "trace", "--format=csv"], capture_output=True, check=True).stdout.decode()
    counts = dict(line.split(",")[:2] for line in csv.splitlines()[1:])
    text = report.stdout.decode()
    for name in ("main.before", "main.after"):
        shown, true = int(counts.get(name, 0)), calls_before(printed, name)
        if true is not None and shown > true:
            return f"{shown} calls of {name} are shown, {true} there were"
    after = calls_before(printed, "main.after")
    if another:
        return f"{counts['main.after']} calls of another process are shown" if "main.after" in counts else None
    if after and int(counts.get("main.after", 0)) != after and "\nno event was lost\n" in text and "ended" not in text + err and \
            "Calls since then were not recorded" not in text and "\nno call was recorded" not in text:
        return f"{counts.get('main.after', 0)} calls of main.after are shown of {after}, and nothing is said:\n{text}"
    return None


def moment(probe, how, at):
    """One of them. (phase, what is wrong)"""
    for name in ("trace", "trace.old", "list"):
        if os.path.exists(name):
            os.remove(name)
    target = Target(how)
    with open("err", "wb") as err:
        job = subprocess.Popen([*command(probe, at), "--pid", str(target.pid)], stdin=subprocess.DEVNULL, stdout=err, stderr=err)
    _, status = os.waitpid(job.pid, os.WUNTRACED)
    taken = None
    if os.WIFSTOPPED(status):
        try:
            target.turn()
        except NumberTaken as e:
            taken = str(e)
        os.kill(job.pid, signal.SIGCONT)
    else:
        job.returncode = os.waitstatus_to_exitcode(status)
    until = time.monotonic() + PATIENCE_S
    while job.poll() is None and not records(calls_of("list")) and time.monotonic() < until:
        target.reap()
        time.sleep(0.005)
    if taken:
        target.how = "is killed"
    said = target.end()
    try:
        got = job.wait(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        job.kill()
        got, said = None, "gotrace does not end"
    calls = calls_of("list")
    phase = list(phases(calls[:at]))[-1] if len(calls) >= at else "after its end"
    wrong = said or target.wrong() or wrong_trace(read("out"), got, how.startswith("gives") and not taken)
    return phase, taken, wrong


def places(probe):
    """Numbers of calls in each phase, from where gotrace has opened the process up to where it records."""
    target = Target("executes itself")
    subprocess.run([*command(probe, 0), "--duration=0.1", "--pid", str(target.pid)], check=True, capture_output=True)
    target.turn()
    target.end()
    calls = calls_of("list")
    where, opened = list(phases(calls)), calls.index("pidfd_open") + 1
    found = {p: [i + 1 for i, q in enumerate(where) if p == q and i >= opened] for p in PHASES[: PHASES.index("running")] if p in where}
    letting_go = [i + 1 for i, call in enumerate(calls) if call == PTRACE_DETACH]
    return {**found, **({"letting go": letting_go} if letting_go else {})}


def main():
    rng, failed, passed = random.Random(SEED), 0, 0
    os.chdir(tempfile.mkdtemp(prefix="gotrace-moments."))
    for probe in sys.argv[6:] or PROBES:
        numbers = places(probe)
        for how in HOWS:
            done, bad, taken = [], [], 0
            for calls in numbers.values():
                for at in rng.sample(calls, min(MOMENTS, len(calls))):
                    got, number_taken, wrong = moment(probe, how, at)
                    taken += bool(number_taken)
                    done.append(got)
                    if wrong:
                        bad.append(f"# call {at}, {got}: {wrong}")
            failed, passed = failed + bool(bad), passed + (not bad)
            print(*bad, sep="\n", end="\n" if bad else "")
            print(f"{'not ok' if bad else 'ok'} - {probe}: the process {how}, {len(done)} moments in {len(set(done))} phases"
                  + (f", in {taken} its number was not free" if taken else ""), flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    subprocess.run(["rm", "-r", os.getcwd()], check=True)
    sys.exit(1 if failed else 0)


main()

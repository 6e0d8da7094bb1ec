#!/usr/bin/env python3
"""Makes each allocation and each system call of gotrace's verbs fail once, and judges what becomes of it.

    faults.py GOTRACE TRACE TRACE2 PROGRAMS ALLOC.SO CALL [MOST [WHAT]]

ALLOC.SO and CALL are built from alloc.c and call.c. MOST: how many faults of a kind are tried of one command, spread over
all of them; 0: every one. The exit status is 1 when a run died by a signal, ended by a fault that was not inside libdw,
libelf or libbpf, was found leaking or broken by a sanitizer, said nothing or more than one line of a failure, left a file
behind or ended well with another output than without a fault. WHAT: "record" instead of the verbs that read. The traced
program must then end as if nothing had been, or not have been started; the trace be readable, and exact where nothing was
said. Runs go side by side: one a processor, and four of record, which waits most of its time.
"""
import hashlib
import os
import re
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

from beside import PATIENCE_S, WAITING, side_by_side

GOTRACE, TRACE, TRACE2, PROGRAMS, ALLOC, CALL = (os.path.abspath(a) for a in sys.argv[1:7])
MOST = int(sys.argv[7]) if len(sys.argv) > 7 else 0
# Where sanitizers come first, it is linked in.
PRELOAD = {} if GOTRACE.endswith("-faults") else {"LD_PRELOAD": ALLOC}
WHAT = sys.argv[8] if len(sys.argv) > 8 else ""
BINARY = os.path.join(PROGRAMS, "plain")
COUNTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fixtures/traces/counts.sh")
FORMATS = ["folded", "pprof", "perfetto", "chrome", "perun", "csv", "sqlite", "html"]

COMMANDS = (
    [["report", f"--by={by}", TRACE] for by in ("function", "path", "goroutine", "call")]
    + [["report", f"--format={form}", TRACE] for form in ("csv", "json")]
    + [["report", "--callers", "*", TRACE]]
    + [["info", TRACE], ["dump", TRACE], ["diff", TRACE, TRACE2]]
    + [["export", f"--format={form}", "-o", "out", TRACE] for form in FORMATS]
    + [["export", "--format=csv", "--calls", "-o", "out", TRACE]]
    + [["plan", BINARY], ["plan", "--list", BINARY]]
)


class Result:
    def __init__(self, command, before, env):
        if os.path.exists("out"):
            os.remove("out")
        with open("printed", "wb") as out, open("said", "wb") as err:
            self.status = subprocess.run(before + [GOTRACE] + command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                         env={**os.environ, **env}, timeout=PATIENCE_S, check=False).returncode
        self.text = hashlib.sha256(read("printed") + (read("out") if os.path.exists("out") else b"")).digest()
        self.left = [f for f in os.listdir(".") if f not in ("printed", "said", "list", "count", "out")]
        for name in self.left:
            os.remove(name)
        self.out = os.path.exists("out")
        self.said = read("said").decode(errors="replace")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def judge(good, got):
    """What is wrong with a run in which something failed; None: nothing."""
    lines = got.said.splitlines()
    if faulty(got.said):
        return "a fault"
    if got.left:
        return f"left {got.left}"
    if got.status == 0:
        if got.text != good.text:
            return "it ended well, but its output is another"
        return None
    if got.status != 1:
        return f"status {got.status}"
    if got.out:
        return "it failed and left its output"
    if libdw_asserts(got.said):
        return None
    if len(lines) != 1 or not lines[0].startswith("gotrace: "):
        return f"{len(lines)} lines"
    return None


def faulty(said):
    """Whether it ended by a fault that is not a library's, some of which do not check each allocation."""
    line = re.search(r"^gotrace: SIG\w+ in (\S+)", said, re.M)
    return bool(line) and not re.match(r"lib(dw|elf|bpf)\.so", line[1]) and not libdw_asserts(said)


def libdw_asserts(said):
    """libdw's table of abbreviations checks an allocation in this way, and says so in a line of its own."""
    return "lib/dynamicsizehash_concurrent.c" in said


def positions(first, last):
    n = last - first + 1
    if n <= 0:
        return []
    if not MOST or n <= MOST:
        return range(first, last + 1)
    return [first + i * n // MOST for i in range(MOST)]


def count(command, kind):
    """The result without a fault and how many calls of the kind there are."""
    if kind == "alloc":
        good = Result(command, [], {**PRELOAD, "FAULT_COUNT": "count"})
        return good, int(read("count"))
    good = Result(command, [CALL, "list", "0"], {})
    return good, len(read("list").splitlines())


def failing(kind, at):
    """What stands before a command, and its environment, for this allocation or call to fail."""
    return ([], {**PRELOAD, "FAULT_AT": str(at)}) if kind == "alloc" else ([CALL, "list", str(at)], {})


def try_verb(task):
    """One run of a verb that reads: whether it was refused, and what is wrong with it, or None."""
    command, kind, at, good = task
    got = Result(command, *failing(kind, at))
    wrong = judge(good, got)
    if not wrong:
        return got.status != 0, None
    which = f"allocation {at}"
    if kind == "call":
        calls = read("list").decode().splitlines()
        which = f"call {at}, {calls[at - 1] if at <= len(calls) else 'not reached'}"
    return got.status != 0, f"{' '.join(os.path.basename(w) for w in command)}: {which}: {wrong}: {got.said[-2000:].strip()}"


def verb_tasks(kind, first):
    tasks = []
    for command in COMMANDS:
        good, last = count(command, kind)
        if good.status != 0:
            raise SystemExit(f"{command}: status {good.status} without a fault: {good.said}")
        tasks += [(command, kind, at, good) for at in positions(first, last)]
    return tasks


def try_all(pool, one, tasks, bad):
    """The number of runs, and of those whose first result is true."""
    tried = told = 0
    for true, wrong in pool.imap(one, tasks):
        tried, told = tried + 1, told + true
        if wrong:
            bad.append(wrong)
            print(f"# {wrong}", flush=True)
    return tried, told


def started_ticker(out):
    """Runs until SIGTERM, which it handles now."""
    target = subprocess.Popen(["../ticker", "60s"], stdout=out, stderr=out)
    while b"ready" not in read(out.name) and target.poll() is None:
        time.sleep(0.01)
    return target


def in_stops(names):
    """Calls that read or write files since a process was stopped for the second time, as call.c numbers them: the jumps are
    taken out there, and the stubs."""
    seize = "ptrace.16902"
    at, stops, seized = [], 0, 0
    for name in names:
        seized = seized + 1 if name == seize else 0
        if seized == 2:
            stops, n = stops + 1, 0
        if not stops:
            continue
        n += 1
        if stops > 1 and name in ("openat", "read", "pread64", "pwrite64"):
            at.append(f"{stops}.{n}")
    return at


class Recording:
    """One run of record, launched or attached to a program that runs already."""

    def __init__(self, probe, attached, before, env):
        for name in ("trace", "trace.old"):
            if os.path.exists(name):
                os.remove(name)
        self.harm = None
        command = before + [GOTRACE, "record", "-o", "trace", f"--probe={probe}"]
        with open("printed", "wb") as out, open("said", "wb") as err:
            if attached:
                target = started_ticker(out)
                command += ["--duration=0.2", "--pid", str(target.pid)]
            else:
                command += ["--", "../plain"]
            self.status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=PATIENCE_S,
                                         env={**os.environ, **env}, check=False).returncode
            if attached:
                target.terminate()  # it ends well then
            if attached and target.wait(timeout=PATIENCE_S):
                self.harm = f"the program ended with status {target.returncode}"
        self.said, self.attached = read("said").decode(errors="replace"), attached

    def judge(self):
        printed = read("printed").decode()
        if faulty(self.said):
            return "a fault"
        failed = self.status in (125, 126)  # 126: it could not have the command executed
        if self.harm or self.status not in (0, 1, 125, 126):
            return self.harm or f"status {self.status}"
        if failed and not self.said.startswith("gotrace: "):
            return "it failed and said nothing"
        if failed and not self.attached and printed:
            return "it says that it failed before the program ran, which ran"
        if (self.attached or self.status == 0) and "count main." not in printed:
            return "the program's output is cut off"
        if not os.path.exists("trace"):
            return None if failed else "no trace"
        done = subprocess.run([GOTRACE, "report", "--format=csv", "trace"], capture_output=True, check=False)
        if done.returncode:
            return None if self.said else "the trace cannot be read, and nothing was said"
        if self.attached or self.said:
            return None
        with open("csv", "wb") as f:
            f.write(done.stdout)
        exact = subprocess.run([COUNTS, "printed", "csv"], capture_output=True, check=False)
        return f"not exact, and nothing was said: {exact.stdout.decode()}" if exact.returncode else None


def try_recording(task):
    """One run of record: whether it said anything, and what is wrong with it, or None."""
    probe, attached, kind, at, last = task
    got = Recording(probe, attached, *failing(kind, at))
    wrong = got.judge()
    if not wrong:
        return bool(got.said), None
    which = f"{kind} {at} of {last}"
    if kind == "call":
        which += "".join(c for c in read("list").decode().splitlines() if c.endswith("failed"))
    how = "attached" if attached else "launched"
    return bool(got.said), f"record, {probe}, {how}: {which}: {wrong}: {got.said[-2000:].strip()}"


def recording_tasks(ways, kind, first):
    tasks = []
    for probe, attached in ways:
        count_env = {**PRELOAD, "FAULT_COUNT": "count"} if kind == "alloc" else {}
        good = Recording(probe, attached, [] if kind == "alloc" else [CALL, "list", "0"], count_env)
        if good.judge() or good.status:
            raise SystemExit(f"record, {probe}: {good.judge()}, status {good.status} without a fault: {good.said}")
        names = [] if kind == "alloc" else read("list").decode().splitlines()
        last = int(read("count")) if kind == "alloc" else len(names)
        wanted = list(range(first, last + 1))
        if "FAULTS_CALLS" in os.environ:
            wanted = [n for n in wanted if re.search(os.environ["FAULTS_CALLS"], names[n - 1])]
        tries = [wanted[i - 1] for i in positions(1, len(wanted))]
        if kind == "call" and probe == "inline" and attached:
            tries += in_stops(names)
        tasks += [(probe, attached, kind, at, last) for at in tries]
    return tasks


def try_kind(pool, kind, bad):
    # The dynamic linker's own are not gotrace's; those of --version end with what it writes.
    first = count(["--version"], kind)[1] if kind == "call" else 1
    before = len(bad)
    what = "allocations" if kind == "alloc" else "system calls"
    if WHAT == "record":
        ways = [(p, a) for p in ("inline", "springboard", "emulated") for a in (False, True) if (p, a) != ("springboard", True)]
        tried, told = try_all(pool, try_recording, recording_tasks(ways, kind, first), bad)
        wrong = len(bad) - before
        came = f"{what} of record made to fail in {len(ways)} ways of probing: {told} were told"
        came += f", {wrong} harmed the program or passed in silence"
    else:
        tried, refused = try_all(pool, try_verb, verb_tasks(kind, first), bad)
        wrong = len(bad) - before
        came = f"{what} made to fail in {len(COMMANDS)} commands: {refused} ended them in one line"
        came += f", {tried - refused} changed nothing, {wrong} wrong"
    print(f"{'not ok' if wrong else 'ok'} - {tried} {came}", flush=True)


def main():
    bad = []
    jobs = WAITING if WHAT == "record" else os.cpu_count()
    with side_by_side(jobs, "gotrace-faults.", [BINARY, os.path.join(PROGRAMS, "ticker")]) as pool:
        for kind in ("call",) if "FAULTS_CALLS" in os.environ else ("alloc", "call") if PRELOAD else ("alloc",):
            try_kind(pool, kind, bad)
    sys.exit(1 if bad else 0)


main()

#!/usr/bin/env python3
"""Makes each allocation and each system call of gotrace's verbs fail once, and judges what becomes of it.

    faults.py GOTRACE TRACE TRACE2 PROGRAMS ALLOC.SO CALL [MOST [WHAT]]

ALLOC.SO and CALL are built from alloc.c and call.c. MOST: how many faults of a kind are tried of one command, spread over
all of them; 0: every one. The exit status is 1 when a run died by a signal, ended by a fault that was not inside libdw,
libelf or libbpf, was found leaking or broken by a sanitizer, said nothing or more than one line of a failure, left a file
behind or ended well with another output than without a fault. WHAT: "record" instead of the verbs that read. The traced
program must then end as if nothing had been, or not have been started; the trace be readable, and exact where nothing was
said.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

GOTRACE, TRACE, TRACE2, PROGRAMS, ALLOC, CALL = (os.path.abspath(a) for a in sys.argv[1:7])
MOST = int(sys.argv[7]) if len(sys.argv) > 7 else 0
# Where sanitizers come first, it is linked in.
PRELOAD = {} if GOTRACE.endswith("-faults") else {"LD_PRELOAD": ALLOC}
WHAT = sys.argv[8] if len(sys.argv) > 8 else ""
BINARY, TICKER = os.path.join(PROGRAMS, "plain"), os.path.join(PROGRAMS, "ticker")
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
                                         env={**os.environ, **env}, timeout=300, check=False).returncode
        self.text = read("printed") + (read("out") if os.path.exists("out") else b"")
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


def walk(command, kind, first, bad):
    good, last = count(command, kind)
    if good.status != 0:
        raise SystemExit(f"{command}: status {good.status} without a fault: {good.said}")
    tried = refused = 0
    for at in positions(first, last):
        if kind == "alloc":
            got = Result(command, [], {**PRELOAD, "FAULT_AT": str(at)})
        else:
            got = Result(command, [CALL, "list", str(at)], {})
        tried += 1
        refused += got.status != 0
        wrong = judge(good, got)
        if wrong:
            which = f"allocation {at}"
            if kind == "call":
                calls = read("list").decode().splitlines()
                which = f"call {at}, {calls[at - 1] if at <= len(calls) else 'not reached'}"
            bad.append(f"{' '.join(os.path.basename(w) for w in command)}: {which}: {wrong}")
            print(f"# {bad[-1]}: {got.said[-2000:].strip()}", flush=True)
    return tried, refused


def started_ticker(out):
    """Runs until SIGTERM, which it handles now."""
    target = subprocess.Popen([TICKER, "60s"], stdout=out, stderr=out)
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
                command += ["--", BINARY]
            self.status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=120,
                                         env={**os.environ, **env}, check=False).returncode
            if attached:
                target.terminate()  # it ends well then
            if attached and target.wait(timeout=60):
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


def record_all(kind, first, bad):
    ways = [(p, a) for p in ("inline", "springboard", "emulated") for a in (False, True) if (p, a) != ("springboard", True)]
    tried = told = 0
    before = len(bad)
    for probe, attached in ways:
        last_env = {**PRELOAD, "FAULT_COUNT": "count"} if kind == "alloc" else {}
        good = Recording(probe, attached, [] if kind == "alloc" else [CALL, "list", "0"], last_env)
        last = int(read("count")) if kind == "alloc" else len(read("list").splitlines())
        if good.judge() or good.status:
            raise SystemExit(f"record, {probe}: {good.judge()}, status {good.status} without a fault: {good.said}")
        wanted = list(range(first, last + 1))
        if kind == "call" and "FAULTS_CALLS" in os.environ:
            names = read("list").decode().splitlines()
            wanted = [n for n in wanted if re.search(os.environ["FAULTS_CALLS"], names[n - 1])]
        tries = [str(wanted[i - 1]) for i in positions(1, len(wanted))]
        if kind == "call" and probe == "inline" and attached:
            tries += in_stops(read("list").decode().splitlines())
        for at in tries:
            if kind == "alloc":
                got = Recording(probe, attached, [], {**PRELOAD, "FAULT_AT": at})
            else:
                got = Recording(probe, attached, [CALL, "list", at], {})
            tried += 1
            told += bool(got.said)
            wrong = got.judge()
            if wrong:
                which = f"{kind} {at} of {last}"
                if kind == "call":
                    which += "".join(c for c in read("list").decode().splitlines() if c.endswith("failed"))
                bad.append(f"record, {probe}, {'attached' if attached else 'launched'}: {which}: {wrong}")
                print(f"# {bad[-1]}: {got.said[-2000:].strip()}", flush=True)
    what = "allocations" if kind == "alloc" else "system calls"
    wrong = len(bad) - before
    print(f"{'not ok' if wrong else 'ok'} - {tried} {what} of record made to fail in {len(ways)} ways of probing: {told} were"
          f" told, {wrong} harmed the program or passed in silence", flush=True)


def main():
    bad = []
    os.chdir(tempfile.mkdtemp(prefix="gotrace-faults."))
    kinds = ("call",) if "FAULTS_CALLS" in os.environ else ("alloc", "call") if PRELOAD else ("alloc",)
    for kind in kinds:
        # The dynamic linker's own are not gotrace's; those of --version end with what it writes.
        _, first = count(["--version"], kind)
        if WHAT == "record":
            record_all(kind, first if kind == "call" else 1, bad)
            continue
        tried, refused, before = 0, 0, len(bad)
        for command in COMMANDS:
            t, r = walk(command, kind, first if kind == "call" else 1, bad)
            tried, refused = tried + t, refused + r
        what = "allocations" if kind == "alloc" else "system calls"
        wrong = len(bad) - before
        print(f"{'not ok' if wrong else 'ok'} - {tried} {what} made to fail in {len(COMMANDS)} commands: {refused} ended them in"
              f" one line, {tried - refused} changed nothing, {wrong} wrong", flush=True)
    for name in os.listdir("."):
        os.remove(name)
    os.rmdir(os.getcwd())
    sys.exit(1 if bad else 0)


main()

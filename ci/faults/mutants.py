#!/usr/bin/env python3
"""Records programs whose binary was damaged.

    mutants.py GOTRACE PROGRAMS TRIES SEED

Of PROGRAMS/VARIANT/plain up to four values are changed: in a header, in a table that gotrace reads, in code. Such a program may
run as before, crash, hang or be no program any more. With gotrace it must end as it does alone, with the same output, and the
trace be whole and readable; or gotrace refuses it with status 125, 126 or 127, in one line (and one of advice), and it does not
run at all. What each kind of damage led to is in its line. A program with damaged code, or damaged tables of its code, may come to
the damage only when it is preempted, or runs on another thread, as it then could without gotrace: that it ends otherwise is
counted there, not judged. All of it runs as nobody but gotrace itself. The exit status is 1 when something was wrong;
MUTANTS_KEEP=FOLDER keeps those binaries.
"""
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # nothing is left in the tree

from beside import PATIENCE_S, side_by_side

GOTRACE, PROGRAMS = (os.path.abspath(a) for a in sys.argv[1:3])
TRIES, SEED = int(sys.argv[3]), int(sys.argv[4])
VARIANTS = ["noinline", "default", "stripped", "pie"]
PROBES = ["inline", "springboard", "emulated", "thesis"]
BAD = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**63 - 1, 2**63, 2**64 - 1]
HUNG = "did not end"
ALONE_S = 60  # no more is asked of a program that does not end alone in that time
# runtime.pcvalue reads the two tables when a goroutine is preempted, and goes round for ever in a damaged one.
CODE = ("functions of its own", "code", "the function table", "module data")
NOT_COUNTED = ("gotrace: warning: ", "gotrace: to trace a Go binary that ")


def sections(data):
    """name: (offset, size), of those that are in the file."""
    at, = struct.unpack_from("<Q", data, 40)
    n, names = struct.unpack_from("<HH", data, 60)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + 64 * i) for i in range(n)]
    text = heads[names][4]
    return {data[text + h[0]:data.index(b"\0", text + h[0])].decode(): (h[4], h[5], h[3]) for h in heads if h[1] not in (0, 8)}


def own_code(data, parts):
    """The functions of package main."""
    if ".symtab" not in parts:
        return []
    (table, size, _), (strings, _, _), (text, _, vaddr) = parts[".symtab"], parts[".strtab"], parts[".text"]
    found = []
    for at in range(table, table + size, 24):
        name, _, _, _, value, length = struct.unpack_from("<IBBHQQ", data, at)
        if length and data[strings + name:strings + name + 5] == b"main.":
            found.append((value - vaddr + text, length))
    return found


def regions(data):
    """Kind of damage: [(offset, size)]."""
    parts = sections(data)
    phoff, shoff = struct.unpack_from("<QQ", data, 32)
    phnum, _, shnum = struct.unpack_from("<HHH", data, 56)

    def named(*starts):
        found = [(o, s) for name, (o, s, _) in parts.items() if name.startswith(starts)]
        # Tables begin with how long they are.
        return found + [(o, min(s, 96)) for o, s in found]

    every = {
        "ELF and program headers": [(0, 64), (phoff, phnum * 56)],
        "section headers": [(shoff, shnum * 64)] + named(".shstrtab"),
        "the function table": named(".gopclntab", ".data.rel.ro.gopclntab"),
        "module data": named(".go.module"),
        "data and read-only data": named(".noptrdata", ".data", ".rodata", ".typelink", ".itablink"),
        "DWARF": named(".debug_", ".zdebug_"),
        "symbols": named(".symtab", ".strtab"),
        "notes, build information, relocations": named(".go.buildinfo", ".note", ".rela", ".dynamic"),
        "functions of its own": own_code(data, parts),
        "code": named(".text"),
    }
    return {kind: [r for r in where if r[1]] for kind, where in every.items() if any(r[1] for r in where)}


def damage(rng, data, where):
    for _ in range(rng.randint(1, 4)):
        start, size = rng.choice(where)
        at = start + rng.randrange(size)
        width = min(rng.choice([1, 2, 4, 8]), len(data) - at)
        old = int.from_bytes(data[at:at + width], "little")
        new = rng.choice([rng.choice(BAD), old + rng.randint(-64, 64), old ^ 1 << rng.randrange(8 * width), rng.getrandbits(64)])
        data[at:at + width] = (new % 2**(8 * width)).to_bytes(width, "little")


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    os.setsid()


def run(command, patience_s=PATIENCE_S):
    """Its status and output, or HUNG."""
    with open("out", "wb") as out, open("err", "wb") as err:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, preexec_fn=limits)
        try:
            status = child.wait(timeout=patience_s)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            status = HUNG
    with open("out", "rb") as out, open("err", "rb") as err:
        return status, out.read(), err.read()


def alone():
    return run(["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "./mutant"], ALONE_S)[:2]


def own_words(got):
    """The lines of gotrace that say why it did not do what was asked."""
    lines = got[2].decode(errors="replace").splitlines()
    return [line for line in lines if line.startswith("gotrace: ") and not line.startswith(NOT_COUNTED)]


def refusal(got, words):
    """What is wrong with one."""
    if got[1]:
        return "it was refused, and ran"
    if len(words) != 1:
        return f"it was not refused in one line: {got[2].decode(errors='replace').splitlines()}"
    return None


def judge(want, probe, kind):
    """What became of it, and what was wrong with that."""
    for name in ("trace", "trace.old"):
        if os.path.exists(name):
            os.remove(name)
    planned = run([GOTRACE, "plan", "./mutant"])
    if planned[0] not in (0, 1) or (planned[0] == 1 and not planned[1] and planned[2].count(b"gotrace: ") != 1):
        return "wrong", f"plan: status {planned[0]}: {planned[2].decode(errors='replace')}"
    got = run([GOTRACE, "record", "--user", "nobody", f"--probe={probe}", "-o", "trace", "--", "./mutant"])
    words = own_words(got)
    if got[0] in (126, 127) and want[0] == got[0] and words:  # setpriv says the same
        return "not executable", refusal(got, words)
    if got[0] in (125, 126, 127) and (got[0] != want[0] or words):  # the dynamic linker ends with 127, too
        return "refused", refusal(got, words)
    if got[:2] != want and kind not in CODE:
        return "wrong", f"alone {want}, recorded {got}"
    info = run([GOTRACE, "info", "trace"])
    if not any(line.split()[:2] == [b"complete", b"yes"] for line in info[1].splitlines()):
        return "wrong", f"the trace is not whole: {info[2].decode()}"
    report = run([GOTRACE, "report", "trace"])
    if report[0]:
        return "wrong", f"the trace cannot be read: {report[2].decode()}"
    if got[:2] != want:
        return "ended otherwise than alone", None
    return ("ran as before" if want == WHOLE else "crashed or ran otherwise, as without gotrace"), None


def one(k):
    """Kind, what became of it, what was wrong."""
    rng, variant = random.Random(f"{SEED}.{k}"), VARIANTS[k % len(VARIANTS)]
    probe = rng.choice(PROBES)
    data, places = bytearray(BASES[variant][0]), BASES[variant][1]
    kind = sorted(places)[k // len(VARIANTS) % len(places)]
    damage(rng, data, places[kind])
    with open("mutant", "wb") as f:
        f.write(data)
    os.chmod("mutant", 0o755)
    want = alone()
    if want[0] == HUNG or any(alone() != want for _ in range(3)):
        return kind, "does not end or is never the same", None
    became, wrong = judge(want, probe, kind)
    if wrong and any(alone() != want for _ in range(10)):
        return kind, "does not end or is never the same", None
    if wrong:
        wrong = f"{variant}, {probe}, number {k}: {wrong}"
        if os.environ.get("MUTANTS_KEEP"):
            shutil.copy("mutant", os.path.join(os.environ["MUTANTS_KEEP"], f"{variant}.{probe}.{SEED}.{k}"))
    return kind, became, wrong


def base(variant):
    """A whole program, and where it may be damaged."""
    with open(os.path.join(PROGRAMS, variant, "plain"), "rb") as f:
        program = f.read()
    return program, regions(program)


def whole():
    """What the program prints when it is not damaged."""
    with tempfile.TemporaryDirectory(prefix="gotrace-mutants.") as folder:
        os.chmod(folder, 0o755)
        os.chdir(folder)
        shutil.copy(os.path.join(PROGRAMS, "noinline", "plain"), "mutant")
        good = alone()
        os.chdir("/")
    if good[0] != 0:
        sys.exit(f"the program itself ends with status {good[0]}")
    return good


def main():
    done, failed = {}, set()
    with side_by_side(os.cpu_count(), "gotrace-mutants.") as pool:
        for kind, became, wrong in pool.imap(one, range(TRIES)):
            done.setdefault(kind, {}).setdefault(became, 0)
            done[kind][became] += 1
            if wrong:
                failed.add(kind)
                print(f"# {kind}: {wrong}", flush=True)
    for kind, ends in sorted(done.items()):
        told = ", ".join(f"{n} {end}" for end, n in sorted(ends.items()))
        print(f"{'not ok' if kind in failed else 'ok'} - {sum(ends.values())} programs with damaged {kind}: {told}")
    print(f"{len(done) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    sys.exit(1 if failed else 0)


BASES = {v: base(v) for v in VARIANTS}
WHOLE = whole()
main()

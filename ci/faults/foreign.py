#!/usr/bin/env python3
"""Reads what a stranger has damaged: stores of the agent, perf maps, files of debugging symbols.

    foreign.py GOTRACE PROGRAMS SOURCES TRIES SEED

Each try changes some bytes of one file, or puts something else in its place: a FIFO, a folder, a link, a file without end.
Or it runs a program that has damaged tables to unwind by, symbols or DWARF.
A verb that reads a store ends with status 0, or with status 1 and one line, and changes nothing below the store. `sample` of a
process with such a perf map or debug file ends with status 0, and the process runs on. SOURCES is fixtures/native. What
each kind led to is in its line. The exit status is 1 when something was wrong.
"""
import hashlib
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

from beside import PATIENCE_S

GOTRACE, PROGRAMS, SOURCES = (os.path.abspath(a) for a in sys.argv[1:4])
TRIES, SEED = int(sys.argv[4]), int(sys.argv[5])
MEMORY = 3 << 30
VERBS = [["report"], ["report", "--by=path", "-F", "csv"], ["export", "-F", "folded"], ["info"], ["dump"]]
ODD = ["fifo", "folder", "link", "zero", "sparse", "empty"]


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(args):
    """(status, lines of errors)"""
    p = subprocess.run([GOTRACE] + args, capture_output=True, timeout=PATIENCE_S, preexec_fn=limit, check=False)
    said = p.stderr.decode("utf-8", "replace").splitlines()
    return p.returncode, [x for x in said if not x.startswith("gotrace: warning: ")]


def bytes_changed(rng, path):
    data = bytearray(open(path, "rb").read())
    for _ in range(rng.choice([1, 2, 8, 64])):
        at = rng.randrange(len(data)) if rng.random() < 0.6 else rng.randrange(min(200, len(data)))
        data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    if rng.random() < 0.1:
        del data[rng.randrange(len(data)):]
    open(path, "wb").write(data)


def damage(rng, path):
    """Says how."""
    how = rng.choice(["bytes"] * 6 + ODD)
    if how == "bytes" and os.path.isfile(path) and os.path.getsize(path):
        bytes_changed(rng, path)
        return how
    if os.path.exists(path):
        os.unlink(path)
    if how == "fifo":
        os.mkfifo(path)
    elif how == "folder":
        os.mkdir(path)
    elif how in ("link", "zero"):
        os.symlink("/etc/passwd" if how == "link" else "/dev/zero", path)
    else:
        with open(path, "wb") as f:
            f.write(rng.randbytes(3000) if how == "bytes" else b"")
            if how == "sparse":
                f.truncate(1 << 40)
    return how


def state_of(folder):
    """Of all that is below it: names, kinds, times, and what small files hold."""
    found = []
    for at, _, names in os.walk(folder):
        for name in sorted(names) + ["."]:
            path = os.path.join(at, name)
            st = os.lstat(path)
            held = hashlib.sha256(open(path, "rb").read()).hexdigest() if os.path.isfile(path) and not os.path.islink(
                path) and st.st_size < 1 << 24 else ""
            found.append((path, st.st_mode, st.st_size, st.st_mtime_ns, held))
    return sorted(found)


def make_store():
    open("agent.json", "w").write('{"interval": "1s", "frequency": 199, "store": {"directory": "store"}}')
    busy = subprocess.Popen([PROGRAMS + "/default/busy", "60s"], stdout=subprocess.DEVNULL)
    agent = subprocess.Popen([GOTRACE, "agent", "--config", "agent.json"], stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE_S
    while sum(name.endswith(".pb.gz") for _, _, names in os.walk("store") for name in names) < 10:
        if time.monotonic() > until or agent.poll() is not None:
            sys.exit("the agent stores nothing")
        time.sleep(0.2)
    agent.send_signal(signal.SIGTERM)
    busy.kill()
    busy.wait()
    if agent.wait():
        sys.exit("the agent ends with status %d" % agent.returncode)


def store(rng):
    shutil.rmtree("theirs", ignore_errors=True)
    shutil.copytree("store", "theirs", symlinks=True)
    traces = [os.path.join(at, n) for at, _, names in os.walk("theirs") for n in names if n.endswith(".gotrace")]
    file = rng.choice(["theirs/index.db"] * 4 + ["theirs/index.db-journal", "theirs/index.db-wal", "theirs/index.db-shm"] +
                      [rng.choice(sorted(traces))] * 5)
    what = "traces in a store" if file.endswith(".gotrace") else "files of a store's index"
    damage(rng, file)
    before = state_of("theirs")
    status, said = run(rng.choice(VERBS) + ["theirs"])
    if status not in (0, 1) or (status == 1 and len(said) != 1):
        return what, "wrong", f"status {status}: {said}"
    if state_of("theirs") != before:
        return what, "wrong", "the store was changed"
    return what, "refused" if status else "read", None


def sampled(what, process):
    status, said = run(["sample", "-F", "499", "-d", "1", "-o", "trace", "--pid", str(process.pid)])
    alive = process.poll() is None
    if not status and alive:
        status, said = run(["report", "trace"])
    process.kill()
    process.wait()
    if not alive:
        return what, "wrong", f"the process ended with status {process.returncode}"
    return what, "wrong" if status else "sampled", f"status {status}: {said}" if status else None


def beside(rng, what, program, file=None, spoil=damage):
    """Damages `file`, or the perf map of the program."""
    process = subprocess.Popen([program, "names", "3600"], stdout=subprocess.PIPE)
    path = process.stdout.readline().decode().strip()
    try:
        spoil(rng, file or path)
        return sampled(what, process)
    finally:
        process.stdout.close()
        if os.path.isdir(path):
            os.rmdir(path)
        elif os.path.lexists(path):
            os.unlink(path)


def perf_map(rng):
    return beside(rng, "perf maps", "./made")


def debug_file(rng):
    shutil.rmtree("linked", ignore_errors=True)
    os.mkdir("linked")
    shutil.copy2("stripped", "linked/program")
    shutil.copy2("program.debug", "linked/program.debug")
    return beside(rng, "debug files", "linked/program", "linked/program.debug")


def sections(data):
    """{name: (offset, size)} of an ELF file of 64 bits (elf(5))."""
    at, size, n, names = struct.unpack_from("<Q", data, 40) + struct.unpack_from("<3H", data, 58)
    rows = [struct.unpack_from("<IIQQQQ", data, at + k * size) for k in range(n)]
    text = data[rows[names][4]:]
    return {text[r[0]:text.index(b"\0", r[0])].decode(): (r[4], r[5]) for r in rows if r[1] != 8}  # SHT_NOBITS


def tables(rng):
    """A program does not read these itself, so it runs on."""
    data = bytearray(open("program", "rb").read())
    there = [v for k, v in sections(data).items() if v[1] and (k.startswith((".debug", ".eh_frame")) or k in (".symtab", ".strtab"))]
    for at, size in rng.sample(there, rng.randrange(1, 3)):
        for _ in range(rng.choice([1, 4, 32])):
            data[at + rng.randrange(size)] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    if os.path.exists("tabled"):
        os.unlink("tabled")
    with open(os.open("tabled", os.O_WRONLY | os.O_CREAT, 0o755), "wb") as f:
        f.write(data)
    return beside(rng, "tables of programs", "./tabled", spoil=lambda *_: None)


def build():
    for command in (["cc", "-O1", "-fno-omit-frame-pointer", "-o", "made", SOURCES + "/made.c"],
                    ["cc", "-g", "-O1", "-Wl,--build-id=none", "-o", "program", SOURCES + "/made.c"],
                    ["objcopy", "--only-keep-debug", "program", "program.debug"],
                    ["objcopy", "--strip-all", "--add-gnu-debuglink=program.debug", "program", "stripped"]):
        subprocess.run(command, check=True)


def main():
    done, failed = {}, set()
    with tempfile.TemporaryDirectory(prefix="gotrace-foreign.") as top:
        os.chdir(top)
        build()
        make_store()
        for k in range(TRIES):
            rng = random.Random(SEED * 1000003 + k)
            kind = [store, store, perf_map, debug_file, tables][k % 5]
            what, became, wrong = kind(rng)
            done.setdefault(what, {}).setdefault(became, 0)
            done[what][became] += 1
            if wrong:
                failed.add(what)
                print(f"# try {k}: {what}: {wrong}", flush=True)
        os.chdir("/")
    for what, ends in sorted(done.items()):
        told = ", ".join(f"{n} {end}" for end, n in sorted(ends.items()))
        print(f"{'not ok' if what in failed else 'ok'} - {sum(ends.values())} damaged {what}: {told}")
    print(f"{len(done) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()

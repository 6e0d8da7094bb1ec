#!/usr/bin/env python3
"""Kills gotrace record before a system call of its own, in each phase of a recording.

    kills.py GOTRACE TICKER CALL KILLS SEED

CALL is built from call.c. Which phase a call is in is told by those before it. The program must end as if nothing had been,
with its whole output, or never have been started; the trace be readable, or the one that was there before; a run after
all kills be exact. What was tried is in the line for each phase. The exit status is 1 when something was wrong.
"""
import os
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # nothing is left in the tree

from beside import PATIENCE_S, WAITING, side_by_side
from phases import PHASES, calls_of, phases, read

GOTRACE, PROGRAM, CALL = (os.path.abspath(a) for a in sys.argv[1:4])
TICKER = "../ticker"  # a copy
KILLS, SEED = int(sys.argv[4]), int(sys.argv[5])
PERF = "emulated --attach=perf"  # links one by one, which takes its time: more than a hundred of them, when launched
LAUNCHED = ["inline", "springboard", "emulated", "thesis", PERF + " -p main -p fmt"]
ATTACHED = ["inline", "emulated", "thesis", PERF]


def run(probe, attached, at):
    """Kills at the call of that number, 0: not at all. What is wrong; None: nothing."""
    for name in ("trace", "trace.old"):
        if os.path.exists(name):
            os.remove(name)
    if not os.path.exists("good"):
        subprocess.run([GOTRACE, "record", "-o", "good", "--", TICKER, "100ms"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cp", "good", "trace"], check=True)
    command = [CALL, "list", f"k{at}", GOTRACE, "record", "-o", "trace", *f"--probe={probe}".split()]
    with open("out", "wb") as out, open("err", "wb") as err:
        target = subprocess.Popen([TICKER, "60s"], stdout=out, stderr=out) if attached else None
        if target:
            while b"ready" not in read("out"):
                time.sleep(0.01)
            command += ["--duration=0.2", "--pid", str(target.pid)]
        else:
            command += ["--", TICKER, "200ms"]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=err if target else out, stderr=err, timeout=PATIENCE_S, check=False)
        if target:
            target.terminate()  # it ends well then
        if target and target.wait(timeout=PATIENCE_S):
            return f"the program ended with status {target.returncode}"
    printed = read("out")
    if (target or printed) and b"count main.tick " not in printed:
        return "the program's output is cut off"
    # What ends after its tracer has ended is waited for by CALL.
    said = subprocess.run([GOTRACE, "report", "trace"], capture_output=True, check=False)
    if said.returncode:
        return f"the trace cannot be read: {said.stderr.decode()}"
    info = subprocess.run([GOTRACE, "info", "trace"], capture_output=True, check=False).stdout.decode()
    whole = any(line.split()[:2] == ["complete", "yes"] for line in info.splitlines())
    if not whole and b"\nno event was lost" in said.stdout:
        return "a trace without its end claims that nothing was lost"
    if os.path.exists("trace.old") and read("trace.old") != read("good"):
        return "the older trace is another"
    return None


def one(task):
    """A kill: the phase that it came in, and what is wrong; None: nothing."""
    probe, attached, at = task
    wrong = run(probe, attached, at)
    calls = calls_of("list")
    killed = any(c.endswith("killed") for c in calls)
    phase = list(phases(calls[:at]))[-1] if killed else "after its end"
    if wrong:
        wrong = f"{probe}, {'attached' if attached else 'launched'}, call {at}, {calls[at - 1] if killed else ''}: {wrong}"
    return phase, wrong


def all_places():
    """A phase of each way of recording: (probe, attached, the numbers of its calls)."""
    subprocess.run([CALL, "list", "k0", GOTRACE, "--version"], check=True, stdout=subprocess.DEVNULL)
    loader = len(calls_of("list")) - 3  # the dynamic linker's own
    places = []
    for probe, attached in [(p, False) for p in LAUNCHED] + [(p, True) for p in ATTACHED]:
        wrong = run(probe, attached, 0)
        if wrong:
            raise SystemExit(f"{probe}, without a kill: {wrong}")
        where = list(phases(calls_of("list")))
        for phase in PHASES:
            numbers = [i + 1 for i, p in enumerate(where) if p == phase and i >= loader]
            if numbers:
                places.append((probe, attached, numbers))
    return places


def main():
    rng, done, failed = random.Random(SEED), {}, set()
    with side_by_side(WAITING, "gotrace-kills.", [PROGRAM]) as pool:
        places = all_places()
        rng.shuffle(places)
        chosen = [places[k % len(places)] for k in range(KILLS)]
        tasks = [(probe, attached, rng.choice(numbers)) for probe, attached, numbers in chosen]
        for phase, wrong in pool.imap(one, tasks):
            done[phase] = done.get(phase, 0) + 1
            if wrong:
                failed.add(phase)
                print(f"# {wrong}", flush=True)
    for phase in PHASES:
        if done.get(phase):
            print(f"{'not ok' if phase in failed else 'ok'} - {done[phase]} kills while {phase}")
    print(f"{len([p for p in PHASES if done.get(p)]) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()

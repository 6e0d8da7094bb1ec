#!/usr/bin/env python3
"""The way from a program to a table and a figure, once, and whether both are as expected. `make kick-the-tires`, as root.

    kick-the-tires.py GOTRACE GREET FOLDER

Records GREET, which is experiments/workloads/greet without inlining, makes FOLDER/table.md and FOLDER/figure.svg of it, and compares them
with kick-the-tires.csv beside this file. Calls must be the same. A function that sleeps must have taken, in a call, between a
third and three times what is expected. The figure must say what the table says.
"""
import csv
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from paper_figures import chart, read_chart  # noqa: E402

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kick-the-tires.csv")


def step(number, words):
    print(f"[{number} of 4, {time.strftime('%T')}] {words}", flush=True)


def rows_of(gotrace, trace):
    text = subprocess.run([gotrace, "report", "-n", "0", "--format=json", trace], check=True, capture_output=True).stdout
    return {row["function"]: row for row in json.loads(text)["rows"]}


def wrong(rows, expected, svg):
    """What differs from what is expected, a line each."""
    for name, (calls, ns) in expected.items():
        row = rows.get(name, {"calls": 0, "total_corrected_ns": 0})
        if row["calls"] != calls:
            yield f"{name}: {row['calls']} calls, and not {calls}"
        elif ns and not ns / 3 <= row["total_corrected_ns"] / calls <= ns * 3:
            yield f"{name}: {row['total_corrected_ns'] / calls:.0f} ns a call, and not about {ns}"
    for name in rows.keys() - expected.keys():
        yield f"{name} is not expected"
    said = {row: value for (row, _), (value, *_) in read_chart(svg).items()}
    for name, row in rows.items():
        if name not in said or abs(said[name] / max(row["total_corrected_ns"], 1) - 1) > 0.01:
            yield f"{name}: {said.get(name)} ns in the figure, {row['total_corrected_ns']} in the table"


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    gotrace, greet, folder = (os.path.abspath(path) for path in sys.argv[1:])
    os.makedirs(folder, exist_ok=True)
    trace = os.path.join(folder, "greet.gotrace")
    step(1, "recording greet: each call of its own functions")
    subprocess.run([gotrace, "record", "-o", trace, "--", greet], check=True, stdout=subprocess.DEVNULL)
    step(2, "pairing events to calls, and a table of functions")
    rows = rows_of(gotrace, trace)
    with open(os.path.join(folder, "table.md"), "w") as f:
        f.write("| function | calls | total ns | self ns |\n|---|--:|--:|--:|\n")
        f.writelines(f"| {name} | {row['calls']} | {row['total_corrected_ns']} | {row['self_corrected_ns']} |\n" for name, row in rows.items())
    step(3, "a figure of the same numbers")
    svg = chart("greet", "total of a function, ns", {(name, "all calls"): (max(row["total_corrected_ns"], 1),) * 3 for name, row in rows.items()})
    with open(os.path.join(folder, "figure.svg"), "w") as f:
        f.write(svg)
    step(4, f"comparing with {os.path.relpath(EXPECTED)}")
    with open(EXPECTED, newline="") as f:
        expected = {row["function"]: (int(row["calls"]), int(row["ns_a_call"] or 0)) for row in csv.DictReader(f)}
    found = list(wrong(rows, expected, svg))
    print("\n".join([f"{'not ok' if found else 'ok'} - calls, times and the figure are as expected"] + [f"#   {line}" for line in found]))
    print(f"look at {os.path.relpath(folder)}/table.md and figure.svg; gotrace report {os.path.relpath(trace)}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()

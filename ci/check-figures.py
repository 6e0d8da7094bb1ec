#!/usr/bin/env python3
"""Whether the Sankey pictures in a trace's page say what its report says: each bar and each band.

    check-figures.py GOTRACE TRACE...

Each recording is of the program that its file is named after. A picture by total or self time has a bar for each function, but for light ones, which it lists. Names and both times are those of
`report --by=function` and of the sums over `report --by=path`; bands by self time are the sums over paths that end with caller and callee.
Pictures for print beside a trace (sankey_print.py) say the same: names, times, and heights of bars.
"""
import json
import os
import re
import subprocess
import sys
from collections import Counter

from sankey_print import nodes_of, numbers, page_of, unlike

FUNCTION = 0  # kind of a bar; others stand for several light functions


def picture(page, which):
    """Of a page's data: weights of bars and bands by name, and the names of what is folded."""
    names, data = page["funcs"]["names"], page["sankey_many"][which]
    flat, bars, bands = numbers(data["nodes"]), [], Counter()
    for i in range(0, len(flat), 9):
        kind, func, _, _, _, weight_in = flat[i:i + 6]
        bars.append((names[func] if kind == FUNCTION else None, weight_in))
    flat, i = numbers(data["links"]), 0
    while i < len(flat):
        start, end, flags, weight, _, routes = flat[i:i + 6]
        if not flags & 1:
            bands[bars[start][0], bars[end][0]] += weight
        i += 8 + routes
    return {name: weight for name, weight in bars if name}, bands, [names[f] for f in numbers(data["folded"])], data["whole"]


def of_report(gotrace, trace, by):
    text = subprocess.run([gotrace, "report", "-n", "0", f"--by={by}", "--format=json", trace], check=True, capture_output=True).stdout
    return json.loads(text)["rows"]


def sums(rows):
    """Of rows by path: total and self by function, self by caller and callee. A function that is open already on the goroutine has its total there."""
    began = {tuple(row["path"]): row["go"] for row in rows}
    total, own, pairs = Counter(), Counter(), Counter()
    for row in rows:
        path = row["path"]
        start = max((n for n in range(1, len(path) + 1) if began[tuple(path[:n])]), default=1) - 1
        total[path[-1]] += 0 if path[-1] in path[start:-1] else row["total_corrected_ns"]
        own[path[-1]] += row["self_corrected_ns"]
        if len(path) > 1 and not row["go"]:
            pairs[path[-2], path[-1]] += row["self_corrected_ns"]
    return total, own, pairs


def wrong(page, functions, rows):
    """What differs, nothing where all is right."""
    total, own, pairs = sums(rows)
    for which, what, by_path, column in (0, "total", total, "total_corrected_ns"), (1, "self", own, "self_corrected_ns"):
        bars, bands, folded, whole = picture(page, which)
        reported = {row["function"]: row[column] for row in functions}
        for name, weight in bars.items():
            if weight != reported.get(name) or weight != by_path[name]:
                yield f"{what} of {name}: {weight} in the picture, {reported.get(name)} by function, {by_path[name]} by path"
        for name, weight in reported.items():
            if name not in bars and weight and name not in folded:
                yield f"{what} of {name}, {weight}, is neither shown nor among those that are too light"
            if name not in bars and weight * 1000 >= whole:
                yield f"{what} of {name}, {weight} of {whole}, is not too light, and not shown"
        if len(set(bars)) != len(bars) or set(bars) & set(folded):
            yield f"{what}: a function is there twice"
        for pair, weight in bands.items():
            if what == "self" and None not in pair and pair[0] != pair[1] and weight != pairs[pair]:
                yield f"self of {pair[1]} below {pair[0]}: {weight} in the picture, {pairs[pair]} by path"
        if not bars or not bands:
            yield f"{what}: the picture is empty"


def of_another(gotrace, trace):
    """A recording is of the program that its file is named after."""
    name = re.sub(r"\.gotrace$", "", os.path.basename(trace))
    text = subprocess.run([gotrace, "info", trace], check=True, capture_output=True).stdout.decode()
    m = re.search(r"^Program +([^ ,]+)", text, flags=re.M)
    program = os.path.basename(m.group(1)).partition(".")[0] if m else "none"
    if program != name:
        yield f"it is of the program {program}"


def printed(trace, functions, page):
    """What the pictures for print beside a trace say otherwise than its report: where there are such pictures."""
    for which, name, column in (0, "inclusive", "total_corrected_ns"), (1, "exclusive", "self_corrected_ns"):
        path = re.sub(r"\.gotrace$", f"-{name}.svg", trace)
        if os.path.exists(path):
            bands = {bar[0]: bar[5] for bar in nodes_of(page, which) if bar[0]}
            reported = {row["function"]: row[column] for row in functions}
            with open(path) as f:
                svg = f.read()
            yield from (f"{os.path.basename(path)}: {words}" for words in unlike(svg, {bar: reported.get(bar) for bar in bands}, bands))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    gotrace, passed, failed = sys.argv[1], 0, 0
    for trace in sys.argv[2:]:
        what = f"the pictures of {trace}"
        try:
            page, functions, rows = page_of(gotrace, trace), of_report(gotrace, trace, "function"), of_report(gotrace, trace, "path")
            found = list(wrong(page, functions, rows)) + list(of_another(gotrace, trace)) + list(printed(trace, functions, page))
            what += f": {len(picture(page, 0)[0])} and {len(picture(page, 1)[0])} bars"
        except subprocess.CalledProcessError as error:
            found = [f"gotrace {error.cmd[1]} cannot read it: {error.stderr.decode(errors='replace').strip()}"]
        print("\n".join([f"{'not ok' if found else 'ok'} - {what} are what the report says"] + [f"#   {line}" for line in found]))
        passed, failed = passed + (not found), failed + bool(found)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


main()

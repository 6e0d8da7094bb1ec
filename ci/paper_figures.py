"""Figures of the paper, drawn from rows and sources as SVG, and what a picture says, read back from where its marks are."""
import itertools
import math
import os
import re
import xml.etree.ElementTree as ET
from html import escape

from paper_rows import read

UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
COLORS = ["#1a1a1a", "#c0392b", "#2471a3"]
SHAPES = ["M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z", "M-4,-4h8v8h-8z", "M0,-5l5,5l-5,5l-5,-5z"]
LEFT, TOP, STEP, WIDTH, RIGHT = 190, 44, 20, 720, 24


def quantities(cell):
    """Numbers of a cell, in nanoseconds where it has units: `18.83 us (18.44 us to 19.18 us)`."""
    return [float(number) * UNITS.get(unit, 1) for number, unit in re.findall(r"(-?\d[\d.]*(?:e[+-]\d+)?)(?: (ns|us|ms|s)\b)?", cell)]


class Picture:
    def __init__(self, height, title):
        self.height, self.parts = height, [f"<title>{escape(title)}</title>"]

    def text(self, x, y, words, kind, anchor="start", size=11):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{escape(words)}</text>')

    def line(self, x1, y1, x2, y2, kind, color="#888", more=""):
        self.parts.append(f'<line class="{kind}" x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{color}"{more}/>')

    def mark(self, x, y, series, kind):
        self.parts.append(f'<path class="{kind} s{series}" transform="translate({x:.2f},{y:.2f})" d="{SHAPES[series]}" fill="{COLORS[series]}"/>')

    def box(self, x, y, w, h, kind, name, fill="#f4f4f4"):
        self.parts.append(f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}" stroke="#444"/>')
        self.text(x + w / 2, y + h / 2 + 4, name, f"{kind}-name", "middle")

    def svg(self):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" height="{self.height}" '
                'font-family="DejaVu Sans, sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def chart(title, axis, values):
    """Marks on a logarithmic axis: values is {(row, series): (value, low, high)}, in the order of rows."""
    labels = list(dict.fromkeys(row for row, _ in values))
    series = list(dict.fromkeys(name for _, name in values))
    every = [n for numbers in values.values() for n in numbers]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    picture = Picture(TOP + STEP * len(labels) + 44, title)
    bottom = TOP + STEP * len(labels)

    def at(value):
        return LEFT + (math.log10(value) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    for power in range(low, high + 1):
        picture.line(at(10 ** power), TOP - 8, at(10 ** power), bottom, "grid", "#ddd")
        picture.text(at(10 ** power), bottom + 14, f"{10 ** power:,}" if power >= 0 else f"{10 ** power:g}", "tick", "middle")
    picture.text((LEFT + WIDTH) / 2, bottom + 32, axis, "axis", "middle")
    for i, name in enumerate(series):
        picture.mark(LEFT + 6 + i * 170, 18, i, "legend")
        picture.text(LEFT + 16 + i * 170, 22, name, "series")
    for i, label in enumerate(labels):
        y = TOP + STEP * i + 6
        picture.text(LEFT - 10, y + 4, label, "row", "end")
        for j, name in enumerate(series):
            if (label, name) in values:
                value, least, most = values[label, name]
                picture.line(at(least), y, at(most), y, f"interval s{j}", COLORS[j], ' stroke-width="2"')
                picture.mark(at(value), y, j, "value")
    return picture.svg()


def place(element):
    return [float(n) for n in re.findall(r"-?[\d.]+", element.get("transform"))]


def of_kind(tree, kind):
    return [e for e in tree.iter() if kind in e.get("class", "").split()]


def read_chart(svg):
    """What the marks say, by the axis's own numbers and the nearest label: {(row, series): (value, low, high)}."""
    tree = ET.fromstring(svg)
    ticks = [(float(e.get("x")), math.log10(float(e.text.replace(",", "")))) for e in of_kind(tree, "tick")]
    (x0, v0), (x1, v1) = min(ticks), max(ticks)
    names = {m.get("class").split()[1]: min(of_kind(tree, "series"), key=lambda e: abs(float(e.get("x")) - place(m)[0])).text for m in of_kind(tree, "legend")}
    rows = [(float(e.get("y")) - 4, e.text) for e in of_kind(tree, "row")]

    def value_at(x):
        return 10 ** (v0 + (x - x0) / (x1 - x0) * (v1 - v0))

    def key(y, kind):
        return min(rows, key=lambda row: abs(row[0] - y))[1], names[kind]
    intervals = {key(float(e.get("y1")), e.get("class").split()[1]): (value_at(float(e.get("x1"))), value_at(float(e.get("x2")))) for e in of_kind(tree, "interval")}
    found = {}
    for mark in of_kind(tree, "value"):
        x, y = place(mark)
        found[key(y, mark.get("class").split()[1])] = (value_at(x), *intervals[key(y, mark.get("class").split()[1])])
    return found


def differences(svg, values):
    """What a chart says otherwise than its rows. A hundredth of a pixel is some thousandth of a value."""
    said = read_chart(svg)
    for key in values.keys() | said.keys():
        if key not in said or key not in values:
            yield f"{key} is {'not in the picture' if key in values else 'in the picture only'}"
        elif any(abs(a / b - 1) > 0.002 for a, b in zip(said[key], values[key])):
            yield f"{key}: {said[key]} in the picture, {values[key]} in the rows"


def probe_costs(rows):
    names = {"thesis": "the thesis's probes", "bpftrace-map": "bpftrace, times in a map", "bpftrace-empty": "bpftrace, empty",
             "emulated": "emulated", "springboard-jump": "springboard, jump", "springboard-nop": "springboard, nop", "inline": "inline stubs"}
    found = {row["probes"]: quantities(cell) for cell, row in rows.matching("@probe-cost/summary.md", "function=framed & threads=1", "a call")}
    return {(title, "a call, entry and exit recorded"): tuple(found[name][:3]) for name, title in names.items()}


def real_programs(rows):
    found = {}
    for run, variant, title in [(run, *pair) for run in ("real-programs", "real-misspell", "held-out") for pair in
                                (("inline (default)", "inline stubs"), ("springboard", "springboard"), ("thesis", "the thesis's probes"))]:
        for cell, row in rows.matching(f"@{run}/summary.md", f"probes={variant}", "times untraced"):
            numbers = quantities(cell)
            if len(numbers) == 3 and (row["program"] == "misspell") <= (run == "real-misspell"):
                found[row["program"] + (", held out" if run == "held-out" else ""), title] = tuple(numbers)
    return found


def accuracy(rows):
    found = {}
    for variant, title in ("inline", "inline stubs"), ("thesis", "the thesis's probes"):
        for cell, row in rows.matching("@accuracy/summary.md", f"kind=spin & probes={variant}", "error of a call"):
            found["asked for " + row["asked for"], title] = tuple(quantities(cell)[:3])
    return found


CHARTS = {
    "probe-cost.svg": ("What a traced call costs", "processor time of a call beyond an untraced one, ns", probe_costs),
    "real-programs.svg": ("Real programs, traced", "wall time, times untraced", real_programs),
    "accuracy.svg": ("Error of single calls", "how much longer than the program's own clock says, ns", accuracy),
}


def layers(top):
    """Of ci/layers.sh: {layer: layers that it may include}."""
    pairs = re.findall(r"^\t([a-z]+):(\S+)$", read(top, "ci/layers.sh"), flags=re.M)
    names = {name for name, _ in pairs}
    return {name: {m for m in re.findall(r"([a-z]+)/", may) if m in names and m != name} for name, may in pairs}


def needed(uses):
    """Without what others include already: {layer: layers}."""
    def reach(name):
        return set().union(*({other} | reach(other) for other in uses[name])) if uses[name] else set()
    return {name: {one for one in direct if not any(one in reach(other) for other in direct - {one})} for name, direct in uses.items()}


def through(line, box):
    """Whether a line that leads down passes a box between its ends, with some room around it."""
    (x1, y1, x2, y2), (x, y) = line, box
    return y1 < y + 14 < y2 and any(x - 8 <= x1 + (x2 - x1) * (y + edge - y1) / (y2 - y1) <= x + 98 for edge in (0, 14, 28))


SLOTS = 6  # places in a row


def arranged(uses, orders):
    """Of {row: boxes and None, from left to right}: boxes and arrows by name, and how many arrows lead through boxes, and how far."""
    boxes = {name: (WIDTH * (i + 0.5) / SLOTS - 45, 16 + 64 * (len(orders) - 1 - depth))
             for depth, row in orders.items() for i, name in enumerate(row) if name}
    lines = {(a, b): (boxes[a][0] + 45, boxes[a][1] + 28, boxes[b][0] + 45, boxes[b][1]) for a in uses for b in uses[a]}
    length = sum(abs(x2 - x1) for x1, _, x2, _ in lines.values())
    hidden = sum(through(line, box) for pair, line in lines.items() for name, box in boxes.items() if name not in pair)
    return boxes, lines, (hidden, length)


def arrangement(uses, level):
    """Row by row the best order, until no row gets better."""
    orders = {depth: sorted(name for name in uses if level[name] == depth) for depth in range(max(level.values()) + 1)}
    orders = {depth: tuple(row) + (None,) * (SLOTS - len(row)) for depth, row in orders.items()}
    before = None
    while before != orders:
        before = dict(orders)
        for depth, row in before.items():
            orders[depth] = min(sorted(set(itertools.permutations(row)), key=str), key=lambda one: arranged(uses, {**orders, depth: one})[2])
    return arranged(uses, orders)[:2]


def architecture(top):
    uses, level = needed(layers(top)), {}
    while len(level) < len(uses):
        level.update({name: 1 + max([level[one] for one in uses[name]], default=-1) for name in uses if name not in level and uses[name] <= level.keys()})
    boxes, lines = arrangement(uses, level)
    picture = Picture(64 * (max(level.values()) + 1), "Layers of the code: an arrow leads to what a folder may include")
    for pair in sorted(lines):
        picture.line(*lines[pair], "uses", "#555", ' marker-end="url(#head)"')
    picture.parts.append('<defs><marker id="head" markerWidth="7" markerHeight="7" refX="6" refY="3" orient="auto"><path d="M0,0L6,3L0,6z" fill="#555"/></marker></defs>')
    for name, (x, y) in sorted(boxes.items()):
        picture.box(x, y, 90, 28, "layer", name)
    return picture.svg()


def read_architecture(svg):
    """Which box each arrow leaves, and which it reaches."""
    tree = ET.fromstring(svg)
    boxes = [(float(r.get("x")), float(r.get("y")), float(r.get("width")), float(r.get("height")), t.text)
             for r, t in zip(of_kind(tree, "layer"), of_kind(tree, "layer-name"))]

    def box_at(x, y):
        return next((name for bx, by, w, h, name in boxes if bx <= x <= bx + w and by <= y <= by + h), None)
    uses = {name: set() for *_, name in boxes}
    for e in of_kind(tree, "uses"):
        uses[box_at(float(e.get("x1")), float(e.get("y1")))].add(box_at(float(e.get("x2")), float(e.get("y2"))))
    return uses


STEPS = {"find_ring": "finds the ring of the P", "reserve": "reserves a slot; full: slow path", "same_goroutine": "same goroutine as before?",
         "stamp": "stamps it by the processor's counter", "publish": "publishes it"}


def stub_steps(top):
    """What the record macro of inline stubs does, by the names of its steps."""
    body = re.search(r"\.macro\trecord .*?\.endm", read(top, "core/plan/inline_stub_code.S"), flags=re.S).group()
    return [word for word in re.findall(r"^\t([a-z_]+)\b", body, flags=re.M) if word in STEPS]


def stub(top):
    steps = stub_steps(top)
    picture = Picture(96 + 30 * (len(steps) + 3), "An inline stub: the function's bytes, and the code that they lead to")
    picture.text(20, 22, "the function's text", "head", size=12)
    picture.text(300, 22, "the stub", "head", size=12)
    function = ["push %rbp", "mov %rsp,%rbp", "jmp stub", "the rest of the function"]
    for i, words in enumerate(function):
        picture.box(20, 36 + 30 * i, 200, 28, "text", words, "#fbe9e7" if words == "jmp stub" else "#f4f4f4")
    code = ["is the goroutine running Go code? no: slow path"] + [STEPS[name] for name in steps] + ["executes the displaced instructions", "jumps back"]
    for i, words in enumerate(code):
        picture.box(300, 36 + 30 * i, 380, 28, "step", words, "#e8f1fa")
    picture.line(220, 36 + 60 + 14, 300, 36 + 14, "jump", "#c0392b")
    picture.line(300, 36 + 30 * (len(code) - 1) + 14, 220, 36 + 90 + 14, "jump", "#2471a3")
    picture.text(300, 36 + 30 * len(code) + 22, "slow path: a jump that is probed; a BPF program records the event", "note")
    return picture.svg()


def read_stub(svg):
    """The steps from top to bottom."""
    tree = ET.fromstring(svg)
    shown = sorted(((float(t.get("y")), t.text) for t in of_kind(tree, "step-name")))
    by_words = {words: name for name, words in STEPS.items()}
    return [by_words[words] for _, words in shown if words in by_words]


def drawn(rows):
    """{name: (picture, what it says otherwise than rows and sources, given a picture)}."""
    figures = {}
    for name, (title, axis, values_of) in CHARTS.items():
        values = values_of(rows)
        figures[name] = (chart(title, axis, values), lambda svg, values=values: list(differences(svg, values)))
    uses, steps = needed(layers(rows.top)), stub_steps(rows.top)
    figures["architecture.svg"] = (architecture(rows.top), lambda svg: [] if read_architecture(svg) == uses else ["not what ci/layers.sh says"])
    figures["stub.svg"] = (stub(rows.top), lambda svg: [] if read_stub(svg) == steps else ["not the steps of inline_stub_code.S"])
    return figures


def wrong_figures(rows, write=False):
    """Figures that are not drawn so, and what pictures say otherwise than rows."""
    for name, (svg, otherwise) in drawn(rows).items():
        path = os.path.join(rows.top, "paper/figures", name)
        if write:
            with open(path, "w") as f:
                f.write(svg)
        there = read(path) if os.path.exists(path) else ""
        if there != svg:
            yield f"{name} is not what the rows draw: make paper"
        try:
            yield from (f"{name}: {words}" for words in otherwise(there))
        except (ET.ParseError, KeyError, ValueError) as error:
            yield f"{name} cannot be read: {error}"

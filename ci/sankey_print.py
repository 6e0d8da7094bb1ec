#!/usr/bin/env python3
"""A Sankey picture of a trace for print, and what such a picture says. ci/check-figures.py compares it with the report.

    sankey_print.py GOTRACE TRACE total|self OUT.svg

Bars and bands stand where gotrace's page has them. Each bar has its short name and its time; its whole name is its title.
"""
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html import escape

DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
FUNCTION = 0  # kind of a bar; others stand for several light functions
WHICH = {"total": 0, "self": 1}
WIDTH, HEIGHT, BAR, TOP, LINE = 1080, 520, 10, 14, 18
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def numbers(text):
    """Base 64, lowest digits first, five bits and "more follows" in each."""
    found, value, shift = [], 0, 0
    for c in text:
        digit = DIGITS.index(c)
        value |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            found.append(value)
            value, shift = 0, 0
    return found


def page_of(gotrace, trace):
    text = subprocess.run([gotrace, "export", "--format=html", "-o", "-", trace], check=True, capture_output=True).stdout.decode()
    return json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', text, flags=re.S).group(1))


def nodes_of(page, which):
    """(name or None, column, y, height, weight, what its bands on the thicker side weigh) of each bar."""
    names, flat = page["funcs"]["names"], numbers(page["sankey_many"][which]["nodes"])
    return [(names[flat[i + 1]] if flat[i] == FUNCTION else None, *flat[i + 2:i + 6], max(flat[i + 5:i + 7])) for i in range(0, len(flat), 9)]


def links_of(page, which):
    """(from, to, flags, weight, thickness, upper edges at both ends) of each band."""
    flat, i = numbers(page["sankey_many"][which]["links"]), 0
    while i < len(flat):
        routes = flat[i + 5]
        yield (*flat[i:i + 5], flat[i + 6], flat[i + 7 + routes])
        i += 8 + routes


def in_units(ns):
    unit = next((u for u in ("s", "ms", "us") if ns >= UNITS[u]), "ns")
    return f"{ns / UNITS[unit]:.3g} {unit}" if ns < 1000 * UNITS[unit] else f"{ns / UNITS[unit]:.0f} {unit}"


def short(name, most):
    name = name.rpartition("/")[2]
    name = re.sub(r"^v\d+\.", "", name)
    return name if len(name) <= most else name[:most // 2] + "…" + name[len(name) - most // 2:]


def labels_at(bars):
    """Where labels stand: in each column one below the other, near their bars, and all within the picture."""
    found = {}
    for column in {bar[1] for bar in bars}:
        below, mine = TOP, sorted((bar for bar in bars if bar[1] == column), key=lambda bar: bar[2] + bar[3] / 2)
        for bar in mine:
            below = max(below, bar[2] + bar[3] / 2 - 4)
            found[bar] = below
            below += LINE
        below = TOP + HEIGHT
        for bar in reversed(mine):
            found[bar] = min(found[bar], below)
            below = found[bar] - LINE
    return found


def drawn(page, which):
    data, nodes = page["sankey_many"][which], nodes_of(page, which)
    scale, columns = HEIGHT / data["height"], max(n[1] for n in nodes) + 1
    step = WIDTH / columns
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT + 2 * TOP + LINE}" width="{WIDTH}" height="{HEIGHT + 2 * TOP + LINE}" '
             'font-family="DejaVu Sans, sans-serif" font-size="9">', '<rect width="100%" height="100%" fill="white"/>']
    for start, end, flags, _, thick, y_from, y_to in links_of(page, which):
        if not nodes[start][0] or not nodes[end][0]:
            continue  # light functions, which have no bar here
        x1, x2, w = nodes[start][1] * step + BAR, nodes[end][1] * step, max(thick * scale, 0.4)
        y1, y2, middle = y_from * scale + TOP + w / 2, y_to * scale + TOP + w / 2, (x1 + x2) / 2
        style = 'stroke="#999" stroke-dasharray="3,2" stroke-width="0.8"' if flags & 1 else f'stroke="#b9cfe4" stroke-opacity="0.8" stroke-width="{w:.2f}"'
        parts.append(f'<path d="M{x1:.1f},{y1:.1f}C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f} {x2:.1f},{y2:.1f}" fill="none" {style}/>')
    bars = [(name, column, y * scale + TOP, h * scale, weight) for name, column, y, h, weight, _ in nodes if name]
    labels = labels_at(bars)
    for bar in bars:
        name, column, y, h, weight = bar
        x, at = column * step, labels[bar]
        parts.append(f'<g class="bar"><title>{escape(name)}</title><rect x="{x:.1f}" y="{y:.2f}" width="{BAR}" height="{max(h, 0.8):.2f}" fill="#1f4e79"/>'
                     f'<text x="{x + BAR + 3:.1f}" y="{at:.1f}">{escape(short(name, int((step - BAR) / 5.8)))}</text>'
                     f'<text class="time" x="{x + BAR + 3:.1f}" y="{at + 9:.1f}" fill="#444">{in_units(weight)}</text></g>')
    return "\n".join(parts) + "\n</svg>\n"


def bars_of(svg):
    """What a picture says: {name: (ns as printed, height)}."""
    space = {"s": "http://www.w3.org/2000/svg"}
    found = {}
    for g in ET.fromstring(svg).iterfind("s:g[@class='bar']", space):
        number, unit = g.find("s:text[@class='time']", space).text.split()
        found[g.find("s:title", space).text] = (float(number) * UNITS[unit], float(g.find("s:rect", space).get("height")))
    return found


def unlike(svg, weights, bands):
    """What a picture says otherwise than {name: ns}: names, printed times, and heights, which go with what the bands weigh but for the least."""
    said = bars_of(svg)
    weights = {name: ns for name, ns in weights.items() if ns is not None}
    for name in sorted(said.keys() ^ weights.keys()):
        yield f"{name} is {'not there' if name in weights else 'in the picture only'}"
    both = {name: said[name] for name in said.keys() & weights.keys()}
    for name, (ns, _) in sorted(both.items()):
        if abs(ns - weights[name]) > max(0.006 * weights[name], 0.5):
            yield f"{name}: {ns:.0f} ns printed, {weights[name]} in the report"
    heaviest = max(both, key=lambda name: bands[name], default=None)
    for name, (_, height) in sorted(both.items()):
        right = both[heaviest][1] * bands[name] / max(bands[heaviest], 1)
        if height > 3 and abs(height / max(right, 0.01) - 1) > 0.05 or height < right * 0.95 - 0.5:
            yield f"{name}: a bar of {height}, where its time has {right:.2f}"


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in WHICH:
        sys.exit(__doc__)
    with open(sys.argv[4], "w") as f:
        f.write(drawn(page_of(sys.argv[1], sys.argv[2]), WHICH[sys.argv[3]]))


if __name__ == "__main__":
    main()

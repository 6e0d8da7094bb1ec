#!/usr/bin/env python3
"""Whether what documents say of measurements is what the rows say.

    check-paper.py [--write] [TOP]

paper/runs says of each name which folder of results/ is meant by it: `overhead = overhead/RUN-ID`, and may add `, older` or `, older,
not derived`; @overhead is that folder below. Each run in results/ has a name there, or is in a folder that has one, and no other run is kept.
results/README.md has the table of them between two comments. A link of a document to something in results/ leads to what is there.

paper/numbers says where each number comes from; a name with <x> in it stands for many:

    times.<program> = @overhead/summary.csv :: program=<program> & tool=time :: ratio :: 1 :: .2f
    setup = {whole} - {part} :: .2f

A table's file (Markdown, CSV, TSV or environment.txt), what its row has in which columns (= or !=), the column, which number of the
cell (1 is the first), and how Python writes it. Instead of which number: sum, min, max, median or count, of all rows that match;
text, the cell as it is, or, where there is no such column, the words that stand where else Python's format does; ratio, the number, or what the column verdict says if that is "invalid" or "not measurable".
Of several lines for one name, as tables of older runs are others, the first that finds a row counts. "2s" are two significant digits, with commas; "word" is a word up to twelve.

paper/paper.md is made of paper/paper.md.in: {name} is a number, {@overhead} a folder of results/, {table FILE} all tables of a
file, {table FILE :: HEADING :: WHERE} those below the heading that begins so, or of all, with the rows that have what is asked for.

paper/claims has words of other documents, with such {names}, below the document's name in brackets; an empty line ends a claim.
Line breaks and more than one blank count as one blank in both.

    all numbers of [README.md] ## Overhead      each number of this section is in a claim; without a heading: of all sections
    measured numbers of [CHANGELOG.md]          each number with a unit
    but 4.2 million | twice                     ... except in these words, for which nothing was measured

--write makes paper.md and that table, and changes the numbers of claims in their documents to what the rows say.
"""
import csv
import functools
import glob
import os
import re
import statistics
import sys

NUMBER = r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
MEASURED = re.compile(
    rf"(?:{NUMBER}|\b(?:{'|'.join(WORDS[2:])}))(?: to {NUMBER})?[ -]?"
    r"(?:%|per ?cent|times\b|[num]?s\b|(?:nano|micro|milli)?seconds?\b|minutes?\b|hours?\b|[KMG]i?B\b|a second\b|events\b|samples\b)"
    r"|\bhalf the\b|\b(?:third|quarter) of\b")
NAME = re.compile(r"\{([a-z@][\w.@-]*)\}")
REFUSED = ("invalid", "not measurable")


def flat(text):
    return " ".join(text.split())


def read(*path):
    with open(os.path.join(*path), newline="") as f:
        return f.read()


@functools.lru_cache(maxsize=None)
def tables(path):
    """Of a file: lists of (header, rows)."""
    if path.endswith((".csv", ".tsv")):
        rows = list(csv.reader(read(path).splitlines(), delimiter="\t" if path.endswith(".tsv") else ","))
        return [(rows[0], rows[1:])]
    if path.endswith(".txt"):
        pairs = [m.groups() for m in (re.match(r"(\w+):? (.*)", line) for line in read(path).splitlines()) if m]
        return [([key for key, _ in pairs], [[value for _, value in pairs]])]
    found, current = [], None
    for line in read(path).splitlines():
        if not (line.startswith("|") and line.strip().endswith("|")):
            current = None
            continue
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        if current is None:
            current = (cells, [])
            found.append(current)
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            current[1].append(cells)
    return found


class Rows:
    """Numbers by name."""

    def __init__(self, top):
        self.top = top
        self.marks = {name: place.partition(", ")[2] for name, place in self.definitions("runs")}
        self.runs = {name: place.partition(", ")[0] for name, place in self.definitions("runs")}
        self.places = [(re.findall(r"<(\w+)>", name), re.compile(re.sub(r"<\w+>", r"([\\w-]+)", name.replace(".", r"\."))), place)
                       for name, place in self.definitions("numbers")]
        self.known = {}

    def definitions(self, name):
        for line in read(self.top, "paper", name).splitlines():
            if line.strip() and not line.startswith("#"):
                yield tuple(part.strip() for part in line.split(" = ", 1))

    def folder(self, name):
        if name not in self.runs:
            raise ValueError(f"paper/runs has no {name}")
        return "results/" + self.runs[name]

    def file(self, name):
        path = re.sub(r"^@([\w-]+)", lambda m: self.folder(m.group(1)), name)
        return os.path.join(self.top, path)

    def places_of(self, name):
        for keys, pattern, place in self.places:
            m = pattern.fullmatch(name)
            if m:
                for key, value in zip(keys, m.groups()):
                    place = place.replace(f"<{key}>", value)
                yield [part.strip() for part in place.split("::")]

    def matching(self, path, where, column):
        """(cell, row by column) of each row that has what is asked for."""
        asked = conditions(where)
        found = [(header, rows) for header, rows in tables(self.file(path))
                 if column in header and all(name in header for name, _, _ in asked)]
        if not found:
            raise ValueError(f"no table of {path} has {column} and the columns of '{where}'")
        for header, rows in found:
            for row in rows:
                if len(row) == len(header) and all((row[header.index(name)] == value) == so for name, so, value in asked):
                    yield row[header.index(column)], dict(zip(header, row))

    def value(self, name):
        """The number, or words, and how it is written: by the first line that finds it."""
        wrong = []
        for place in self.places_of(name) if name not in self.known else ():
            try:
                self.known[name] = self.value_at(name, place)
                break
            except (ValueError, OSError) as error:
                wrong.append(str(error))
        if name not in self.known:
            raise ValueError("; ".join(wrong) or f"paper/numbers has no {name}")
        return self.known[name]

    def value_at(self, name, place):
        if len(place) == 2:
            text = NAME.sub(lambda m: repr(float(self.value(m.group(1))[0])), place[0])
            if not re.fullmatch(r"[-+*/()\d.e ]+", text):
                raise ValueError(f"{name}: '{text}' is no sum")
            return eval(text), place[1]
        path, where, column, which, form = place if len(place) == 5 else place + [""]
        try:
            hits = list(self.matching(path, where, column))
        except ValueError:
            if which == "text" and form:
                return form, "text"
            raise
        if which == "count":
            return len(hits), form
        if which in ("sum", "min", "max", "median") and hits:
            return {"sum": sum, "min": min, "max": max, "median": statistics.median}[which](float(cell) for cell, _ in hits), form
        if len(hits) != 1:
            raise ValueError(f"{name}: {len(hits)} rows of {path} have {where or column}")
        cell, row = hits[0]
        if which == "text":
            return cell, "text"
        if which == "ratio" and row["verdict"] in REFUSED:
            return row["verdict"], "text"
        numbers = re.findall(NUMBER, cell)
        at = 1 if which == "ratio" else int(which)
        if len(numbers) < at:
            raise ValueError(f"{name}: no number {which} in '{cell}' of {path}")
        return float(numbers[at - 1].replace(",", "")), form

    def written(self, name):
        if name.startswith("@"):
            return self.folder(name[1:])
        value, form = self.value(name)
        if form == "text":
            return value
        if form == "word":
            return WORDS[int(value)] if value == int(value) and 0 <= value <= 12 else format(value, "g")
        if form.endswith("s"):
            rounded = float(f"{value:.{int(form[:-1])}g}")
            return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,}"
        return format(int(value) if form.endswith("d") else value, form)

    def fill(self, words):
        return NAME.sub(lambda m: self.written(m.group(1)), words)


def tables_as_written(path):
    """Of a Markdown file: heading and lines of each table."""
    found, heading, inside = [], "", False
    for line in read(path).splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            if not inside:
                found.append((heading, []))
            found[-1][1].append(line)
        inside = line.startswith("|")
    return found


def conditions(where):
    """(column, whether it is to be so, value) of `a=b & c!=d`."""
    parts = [re.split(r"(!?=)", part.strip(), maxsplit=1) for part in where.split("&") if part.strip()]
    return [(name, op == "=", value) for name, op, value in parts]


def chosen(lines, where):
    """Of a table's lines: heading and those rows; nothing where there are none."""
    asked, cells = conditions(where), [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines]
    if any(name not in cells[0] for name, _, _ in asked):
        return ""
    kept = [line for line, row in zip(lines[2:], cells[2:])
            if all((row[cells[0].index(name)] == value) == so for name, so, value in asked)]
    return "\n".join(lines[:2] + kept) if kept else ""


def paper(rows, text):
    """paper.md of paper.md.in."""
    def table(m):
        path, heading, where = ([part.strip() for part in m.group(1).split("::")] + ["", ""])[:3]
        found = [chosen(lines, where) for title, lines in tables_as_written(rows.file(path)) if title.startswith(heading)]
        found = [lines for lines in found if lines]
        if not found:
            raise ValueError(f"no table '{heading}' with {where or 'rows'} in {path}")
        return "\n\n".join(found)
    text = re.sub(r"^\{table ([^}]*)\}$", table, text, flags=re.M)
    head = "<!-- Made of paper.md.in, which has the text, by make paper: do not edit. -->\n\n"
    return head + rows.fill(text)


def parse(path):
    """Claims: (document, words); sections: (document, heading, every number or only those with a unit, [words])."""
    claims, sections, document = [], [], None
    for line in read(path).splitlines() + [""]:
        m = re.fullmatch(r"(all|measured) numbers of \[([^]]+)\] ?(.*)", line)
        if m:
            sections.append((m.group(2), m.group(3), m.group(1) == "all", []))
        elif line.startswith("but "):
            sections[-1][3].extend(flat(words) for words in line[4:].split(" | "))
        elif re.fullmatch(r"\[[^]]+\]", line):
            document = line.strip("[]")
            claims.append([document, ""])
        elif not line.strip():
            claims.append([document, ""])
        elif not line.startswith("# "):
            claims[-1][1] += line + "\n"
    return [claim for claim in claims if claim[1]], sections


def prose(text):
    """Without code, and where links go."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return flat(re.sub(r"\]\([^)]*\)", "]", text))


def section_of(text, heading):
    if not heading:
        return text
    m = re.search(rf"^{re.escape(heading)}$(.*?)(?=^#{{1,{len(heading.split()[0])}}} |\Z)", text, flags=re.M | re.S)
    return m.group(1) if m else ""


RUNS = re.compile(r"(<!-- runs: made of paper/runs by make paper -->\n).*?(<!-- end of runs -->)", flags=re.S)


def with_table(rows, text):
    """results/README.md with the table of runs."""
    lines = ["", "| in paper/runs | run | processor | sources |", "|---|---|---|---|"]
    for name, folder in sorted(rows.runs.items()):
        try:
            cpu = rows.value_at(name, [f"results/{folder}/environment.txt", "", "cpu", "text"])[0]
            sources = rows.marks[name] or "as here"
        except OSError:
            cpu = sources = "several"
        lines.append(f"| {name} | [{folder}]({folder}) | {cpu} | {sources} |")
    return RUNS.sub(lambda m: m.group(1) + "\n".join(lines) + "\n\n" + m.group(2), text)


def strays(rows):
    """Runs that paper/runs does not name, and names of runs that are not there."""
    there = [os.path.relpath(os.path.dirname(f), os.path.join(rows.top, "results"))
             for f in glob.glob(os.path.join(rows.top, "results/*/*/environment.txt"))]
    named = set(rows.runs.values())
    return (sorted(run for run in there if run not in named and os.path.dirname(run) not in named),
            sorted(run for run in named if not os.path.isdir(os.path.join(rows.top, "results", run))))


def dead_links(top):
    """Links, and paths in code, of documents to what is not in results/."""
    documents = [f for pattern in ("*.md", "paper/*.md.in", *(f"{d}/**/*.md" for d in ("ci", "core", "experiments", "paper", "results")))
                 for f in glob.glob(os.path.join(top, pattern), recursive=True)]
    results = os.path.realpath(os.path.join(top, "results"))
    for document in sorted(set(documents)):
        text = re.sub(r"^```.*?^```", "", read(document), flags=re.M | re.S)
        found = [os.path.join(os.path.dirname(document), link) for link in re.findall(r"\]\(([^)#{\s]+)", text) if "://" not in link]
        found += [os.path.join(top, path) for path in re.findall(r"\bresults/[a-z-]+/2\d{7}T\d{6}Z[\w.-]*", re.sub(r"\]\([^)]*\)", "]", text))]
        for path in found:
            if os.path.realpath(path).startswith(results + os.sep) and not os.path.exists(path):
                yield f"{os.path.relpath(document, top)}: {os.path.relpath(path, top)}"


class Told:
    passed = failed = 0

    def __call__(self, right, what, why=""):
        self.passed, self.failed = self.passed + bool(right), self.failed + (not right)
        print(f"{'ok' if right else 'not ok'} - {what}" + (f": {why}" if why and not right else ""))


def change(text, words, sentence):
    """The text with the numbers of the claim replaced, or None if its words are not there once."""
    parts = re.split(NAME.pattern, words)  # literal, name, literal, ...
    pattern = "".join(rf"(?P<n{i}>{NUMBER}(?!\d)|[^|\n]{{1,60}}?)" if i % 2 else re.sub(r"(?:\\? |\\\n|\n)+", r"\\s+", re.escape(part))
                      for i, part in enumerate(parts))
    found = list(re.finditer(pattern, text))
    if len(found) != 1:
        return None
    values = re.fullmatch(pattern, sentence)
    m = found[0]
    for i in range(len(parts) - 2, 0, -2):
        text = text[:m.start(f"n{i}")] + values.group(f"n{i}") + text[m.end(f"n{i}"):]
    return text


def main():
    arguments = sys.argv[1:]
    write = "--write" in arguments
    arguments = [a for a in arguments if a != "--write"]
    if len(arguments) > 1 or any(a.startswith("-") for a in arguments):
        sys.exit(__doc__)
    top = arguments[0] if arguments else "."
    told, rows = Told(), Rows(top)
    claims, sections = parse(os.path.join(top, "paper/claims"))
    texts = {name: read(top, name) for name in {c[0] for c in claims} | {s[0] for s in sections}}
    said = {name: [] for name in texts}
    for document, words in claims:
        what = f"{document}: {flat(words)[:70]}"
        try:
            sentence = rows.fill(words.strip())
        except (ValueError, OSError) as error:
            told(False, what, str(error))
            continue
        if write and flat(sentence) not in flat(texts[document]):
            texts[document] = change(texts[document], words.strip(), sentence) or texts[document]
        said[document].append(prose(sentence))
        told(flat(sentence) in flat(texts[document]), what, f"the rows say '{flat(sentence)}'")
    for document, heading, every, known in sections:
        section = section_of(texts[document], heading)
        left = re.sub(r"\{table [^}]*\}", " ", NAME.sub(" ", prose(section)))
        for words in said[document] + known:
            left = left.replace(words, " ; ")
        left = re.sub(r"``?[^`]*``?", " ; ", left)
        numbers = [m.group() for m in (re.finditer(NUMBER, left) if every else MEASURED.finditer(left))]
        told(section and not numbers, f"each {'' if every else 'measured '}number of {document} {heading} is in a claim",
             f"without: {', '.join(numbers)}" if section else "there is no such section")
    made = ""
    try:
        made = paper(rows, read(top, "paper/paper.md.in"))
    except (ValueError, OSError) as error:
        print(f"paper/paper.md.in: {error}")
    if write and made:
        texts["paper/paper.md"] = made
    if write:
        texts["results/README.md"] = with_table(rows, read(top, "results/README.md"))
        for name, text in texts.items():
            with open(os.path.join(top, name), "w") as f:
                f.write(text)
    told(made and made == read(top, "paper/paper.md"), "paper/paper.md is what paper.md.in and the rows make")
    stored = read(top, "results/README.md")
    told(RUNS.search(stored) and stored == with_table(rows, stored), "results/README.md has the runs of paper/runs", "make paper")
    stray, missing = strays(rows)
    told(not stray, "each run in results is one of paper/runs", f"not there: {', '.join(stray)}")
    told(not missing, "each run of paper/runs is in results", f"missing: {', '.join(missing)}")
    dead = list(dead_links(top))
    told(not dead, "each link to results leads to what is there", "; ".join(dead))
    print(f"{told.passed} passed, {told.failed} failed, 0 skipped")
    sys.exit(told.failed != 0)


main()

"""Numbers of rows by name, and paper.md of its template: ci/check-paper.py's help says how paper/numbers, paper/runs and paper.md.in read."""
import csv
import functools
import os
import re
import statistics
import subprocess

NUMBER = r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
IN_WORDS = rf"\b(?:{'|'.join(WORDS[2:])}|(?:fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|(?:a )?(?:hundred|thousand|[mb]illion))\b"
MEASURED = re.compile(
    rf"(?:{NUMBER}|\b(?:{'|'.join(WORDS[2:])}))(?: to {NUMBER})?[ -]?"
    r"(?:%|per ?cent|times\b|[num]?s\b|(?:nano|micro|milli)?seconds?\b|minutes?\b|hours?\b|[KMG]i?B\b|a second\b|events\b|samples\b)"
    r"|\bhalf the\b|\b(?:third|quarter) of\b")
# ... and numbers in words, of more than times and bytes.
STATED = re.compile(
    rf"(?:{NUMBER}|{IN_WORDS})(?: (?:to|hundred|thousand|[mb]illion))?(?: {NUMBER}| {IN_WORDS})?[ -]?"
    r"(?:%|per ?cent|times\b|[num]?s\b|(?:nano|micro|milli)?seconds?\b|minutes?\b|hours?\b|[KMG]i?B\b|a second\b|events\b|samples\b|calls\b"
    rf"|probes\b|goroutines\b|programs\b|rounds\b|of (?:{NUMBER}|{IN_WORDS})\b)"
    r"|\bhalf the\b|\b(?:third|quarter|fifth|tenth|hundredth) of\b")
NAME = re.compile(r"\{([a-z@][\w.@-]*)\}")
REFUSED = ("invalid", "not measurable")


def flat(text):
    return " ".join(text.split())


def read(*path):
    with open(os.path.join(*path), newline="") as f:
        return f.read()


def rows_of(path):
    """The text of a row file, packed or not."""
    if os.path.exists(path):
        return read(path)
    printer = os.path.join(os.path.dirname(__file__), "../experiments/rows.sh")
    printed = subprocess.run([printer, path], capture_output=True, text=True)
    if printed.returncode:
        raise OSError(f"{path} is not there: {flat(printed.stderr)}")
    return printed.stdout


@functools.lru_cache(maxsize=None)
def tables(path):
    """Of a file: lists of (header, rows)."""
    if path.endswith((".csv", ".tsv")):
        rows = list(csv.reader(rows_of(path).splitlines(), delimiter="\t" if path.endswith(".tsv") else ","))
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
        if len(place) == 1 and re.fullmatch(r'"[^"]*"', place[0]):
            return place[0].strip('"'), "text"
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


def picked(lines, columns):
    """Of a table's lines some columns, in that order: `NAME; #3; NAME -> OTHER NAME`. Lines below heads are as long as cells: their widths in print."""
    cells = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in lines.splitlines()]
    at, names = range(len(cells[0])), cells[0]
    if columns:
        asked = [[part.strip() for part in column.partition("->")] for column in columns.split(";")]
        wrong = [name for name, _, _ in asked if not re.fullmatch(r"#\d+", name) and cells[0].count(name) != 1]
        if wrong:
            raise ValueError(f"the table has no column {wrong[0]}, or several")
        at = [int(name[1:]) - 1 if name.startswith("#") else cells[0].index(name) for name, _, _ in asked]
        names = [new or cells[0][n] for n, (_, _, new) in zip(at, asked)]
    rows = [names] + [[row[n] if n < len(row) else "" for n in at] for row in cells[2:]]
    widths = [2 + max([3] + [len(row[i]) for row in rows[1:]] + [len(word) for word in rows[0][i].split()]) for i in range(len(rows[0]))]
    rule = ["-" * (width - 1) + ":" if cells[1][n].endswith(":") else "-" * width for n, width in zip(at, widths)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [names, rule] + rows[1:])


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
        path, heading, where, columns = ([part.strip() for part in m.group(1).split("::")] + ["", "", ""])[:4]
        found = [chosen(lines, where) for title, lines in tables_as_written(rows.file(path)) if title.startswith(heading)]
        found = [picked(lines, columns) for lines in found if lines]
        if not found:
            raise ValueError(f"no table '{heading}' with {where or 'rows'} in {path}")
        return "\n\n".join(found)
    text = re.sub(r"^\{table ([^}]*)\}$", table, text, flags=re.M)
    head = "<!-- Made of paper.md.in, which has the text, by make paper: do not edit. -->\n\n"
    return head + rows.fill(text)

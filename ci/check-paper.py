#!/usr/bin/env python3
"""Whether what documents say of measurements is what the rows say.

    check-paper.py [--write | --note] [TOP]

paper/runs says of each name which folder of results/ is meant by it: `overhead = overhead/RUN-ID`, and may add `, older` or `, older,
not derived`; @overhead is that folder below. Each run in results/ has a name there, or is in a folder that has one, and no other run is kept.
results/README.md has the table of them between two comments. A link of a document to something in results/ leads to what is there.

paper/numbers says where each number comes from; a name with <x> in it stands for many:

    times.<program> = @overhead/summary.csv :: program=<program> & tool=time :: ratio :: 1 :: .2f
    setup = {whole} - {part} :: .2f

A table's file (Markdown, CSV, TSV or environment.txt), what its row has in which columns (= or !=), the column, which number of the
cell (1 is the first), and how Python writes it. Instead of which number: sum, min, max, median or count, of all rows that match;
text, the cell as it is, or, where there is no such column, the words that stand where else Python's format does; ratio, the number, or what the column verdict says if that is "invalid" or "not measurable".
A line that is words in quotes stands for these words. Of several lines for one name, as tables of older runs are others, the first that finds a row counts. "2s" are two significant digits, with commas; "word" is a word up to twelve.

paper/paper.md is made of paper/paper.md.in: {name} is a number, {@overhead} a folder of results/, {table FILE} all tables of a
file, {table FILE :: HEADING :: WHERE :: COLUMNS} those below the heading that begins so, or of all, with the rows that have what is asked for, and
some columns: `NAME; #3; NAME -> OTHER NAME`. Above its appendix it has eight tables at most, of eight columns at most. Each [Key24] there is
in its list of references, and each of these is cited.

paper/claims has words of other documents, with such {names}, below the document's name in brackets; an empty line ends a claim.
Line breaks and more than one blank count as one blank in both.

    all numbers of [README.md] ## Overhead      each number of this section is in a claim; without a heading: of all sections
    measured numbers of [CHANGELOG.md]          each number with a unit
    but 4.2 million | twice                     ... except in these words, for which nothing was measured

paper/noted has the other numbers of README, the manual, experiments' texts and those of core, how often each is there; --note writes it.
Each `make TARGET` in a document is a target. paper/figures/made.sha256 has the sums of pictures and recordings as make figures left them.

Figures are drawn by ci/paper_figures.py, which also reads back what a picture says.

--write makes paper.md, figures and that table, and changes the numbers of claims in their documents to what the rows say.
"""
import glob
import os
import re
import sys

from paper_documents import as_noted, changed_pictures, left_of, no_targets, not_noted, numbers_by_document, prose, unlike_a_paper
from paper_figures import wrong_figures
from paper_rows import MEASURED, NAME, NUMBER, STATED, Rows, flat, paper, read


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


def misnamed(rows):
    """Runs of older sources whose names do not say so, others whose names do, runs that an older one is not older than, and runs with two names."""
    folders = list(rows.runs.values())
    for name, folder in rows.runs.items():
        older = rows.marks[name].startswith("older")
        if older != name.endswith("-older"):
            yield f"{name} is {'' if older else 'not '}older"
        if folders.count(folder) > 1:
            yield f"{name} has the run of another name"
        for other, its in rows.runs.items():
            if not older and "/" in folder and rows.marks[other].startswith("older") and kind(its) == kind(folder) and its > folder:
                yield f"{name} is not as new as {other}"


def kind(folder):
    """Of a run: its experiment, and what its ID adds to the time."""
    return re.sub(r"/\w+", "/", folder)


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
    write, note = "--write" in arguments, "--note" in arguments
    arguments = [a for a in arguments if a not in ("--write", "--note")]
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
        left = left_of(prose(section), said[document] + known)
        numbers = [m.group() for m in (STATED if every else MEASURED).finditer(left)]
        if every:
            numbers += re.findall(NUMBER, STATED.sub(" ; ", left))
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
    if note:
        with open(os.path.join(top, "paper/noted"), "w") as f:
            f.write(as_noted(numbers_by_document(top, said)))
    for what, wrong in (("the paper's text has few tables, and cites what it lists", unlike_a_paper(read(top, "paper/paper.md"))),
                        ("a run of older sources, and no other, has a name that says so", misnamed(rows)),
                        ("no number of a document has changed that no row says", not_noted(top, said)),
                        ("each make TARGET of a document is a target", no_targets(top)),
                        ("pictures and recordings are as make figures left them", changed_pictures(top)),
                        ("figures are drawn of rows and sources, and say what these say", wrong_figures(rows, write))):
        found = list(wrong)
        told(not found, what, "; ".join(found))
    dead = list(dead_links(top))
    told(not dead, "each link to results leads to what is there", "; ".join(dead))
    print(f"{told.passed} passed, {told.failed} failed, 0 skipped")
    sys.exit(told.failed != 0)


main()

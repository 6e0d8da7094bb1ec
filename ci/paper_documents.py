"""What ci/check-paper.py looks for in documents besides claims: commands that are no targets, numbers that changed, pictures."""
import glob
import hashlib
import os
import re
from collections import Counter

from paper_rows import STATED, NAME, NUMBER, flat, read

PATTERNS = ["README.md", "paper/paper.md.in", "core/cli/man/*.1", "core/**/*.md", "experiments/**/*.md"]
TIED = ["CONTRIBUTING.md", "ci/**/*.md", "fixtures/**/*.md", "results/*.md"]  # commands, but no numbers of measurements


REFERENCE = re.compile(r"^- \*\*\[(\w+)\]\*\*.*(?:\n  .*)*", flags=re.M)


def documents(top, patterns):
    found = {os.path.relpath(f, top) for pattern in patterns for f in glob.glob(os.path.join(top, pattern), recursive=True)}
    return sorted(found)


def prose(text):
    """Without code, and where links go."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    text = re.sub(REFERENCE.pattern, "", text, flags=re.M)
    return flat(re.sub(r"\]\([^)]*\)", "]", text))


def targets(makefile):
    return {name for line in re.findall(r"^((?:[a-z][\w-]* ?)+):(?!=)", makefile, flags=re.M) for name in line.split()}


def no_targets(top):
    """Commands `make TARGET` in code of documents, whose TARGET the Makefile does not have."""
    known = targets(read(top, "Makefile"))
    for document in documents(top, PATTERNS + TIED):
        text = read(top, document)
        code = re.findall(r"^```.*?^```", text, flags=re.M | re.S)
        code += re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))
        for words in code:
            for command in re.findall(r"(?:^|[ ;&(])make ((?:[^\s;&|#`]+ ?)+)", words, flags=re.M):
                name = next((word for word in command.split() if not re.match(r"-|\w+=|.*[\"']", word)), None)
                if name and re.fullmatch(r"[a-z][a-z0-9-]*", name) and name not in known:
                    yield f"{document}: make {name}"


def manual(text):
    """The words of a manual, without examples."""
    text = re.sub(r"^\.(nf|EX)$.*?^\.(fi|EE)$", "", text, flags=re.M | re.S)
    text = re.sub(r"^\.(TH|\\\").*$", "", text, flags=re.M)
    return flat(re.sub(r"\\[-&]|\\f[A-Z]|^\.[A-Z]+ ", lambda m: "-" if m.group() == r"\-" else "", text, flags=re.M))


def left_of(text, claims):
    """Without what claims say, and without code."""
    left = re.sub(r"\{table [^}]*\}", " ", NAME.sub(" ", text))
    for words in claims:
        left = left.replace(words, " ; ")
    return re.sub(r"``?[^`]*``?", " ; ", left)


def numbers_of(text):
    """Each measured number, and each other."""
    measured = [flat(m.group()) for m in STATED.finditer(text)]
    return Counter(measured + re.findall(NUMBER, STATED.sub(" ; ", text)))


def numbers_by_document(top, claims):
    """Of documents what no claim says: {document: how often each number}."""
    found = {}
    for document in documents(top, PATTERNS):
        text = read(top, document)
        words = manual(text) if document.endswith(".1") else prose(text)
        found[document] = numbers_of(left_of(words, claims.get(document, [])))
    return {document: numbers for document, numbers in found.items() if numbers}


def noted(text):
    found, document = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            document = found.setdefault(line.strip("[]"), Counter())
        elif line.strip() and not line.startswith("#"):
            number, _, times = line.partition(" x")
            document[number] += int(times or 1)
    return found


def as_noted(found):
    head = ("# Numbers that no row says: settings, versions, what is told of one day. By document, so that a changed digit is noticed.\n"
            "# ci/check-paper.py --note writes this file; look at its difference.\n")
    lines = [head]
    for document, numbers in sorted(found.items()):
        lines.append(f"\n[{document}]\n")
        lines += [number + (f" x{times}" if times > 1 else "") + "\n" for number, times in sorted(numbers.items())]
    return "".join(lines)


def not_noted(top, claims):
    """Numbers of documents that differ from those of paper/noted."""
    now, then = numbers_by_document(top, claims), noted(read(top, "paper/noted"))
    for document in sorted(set(now) | set(then)):
        for sign, more, less in ("+", now, then), ("-", then, now):
            for number in sorted((more.get(document, Counter()) - less.get(document, Counter()))):
                yield f"{document}: {sign}{number}"


def changed_pictures(top):
    """Pictures and recordings in paper/figures that `make figures` did not leave so."""
    folder = os.path.join(top, "paper/figures")
    sums = {name: digest for digest, name in (line.split() for line in read(folder, "made.sha256").splitlines() if not line.startswith("#"))}
    there = {os.path.basename(f) for pattern in ("*.png", "*.gotrace", "*clusive.svg") for f in glob.glob(os.path.join(folder, pattern))}
    for name in sorted(there | set(sums)):
        if name not in there:
            yield f"{name} is gone"
        elif name not in sums:
            yield f"{name} is new"
        else:
            with open(os.path.join(folder, name), "rb") as f:
                if hashlib.sha256(f.read()).hexdigest() != sums[name]:
                    yield f"{name} has changed"


def unlike_a_paper(text):
    """Of the text above the appendix: too many tables, too many columns; of references: what is not cited, or not listed."""
    body = text.partition("\n# Appendix")[0]
    heads = re.findall(r"^(\|.*)\n\|[-:| ]+\|$", body, flags=re.M)
    if len(heads) > 8:
        yield f"{len(heads)} tables"
    yield from (f"{head.count('|') - 1} columns: {head}" for head in heads if head.count("|") - 1 > 8)
    listed = REFERENCE.findall(text)
    cited = set(re.findall(r"\[([A-Z]\w*\d\d)\](?!\()", REFERENCE.sub("", text)))
    yield from (f"{key} is listed {listed.count(key)} times" for key in sorted(cited | set(listed)) if listed.count(key) != 1)
    yield from (f"{key} is not cited" for key in sorted(set(listed) - cited))

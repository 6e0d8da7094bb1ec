#!/usr/bin/env python3
"""Counts sentences that are hard to read, by file.

    prose.py              a row for each file: its path, sentences over 30 words, over 35 words, habits; files with none have no row
    prose.py FILE...      each counted sentence of these files with its reason; last the mean length of all sentences

It reads paragraphs and lists of Markdown, the manual, string literals in C that have a sentence's words, and the comments of
headers. Code blocks, tables, tests and results are left out. A code span in Markdown is one word.

Habits are: a sentence that begins with What, Whether, Of, As or The same; "is told", "is said", "told of", "dear", "made for";
a colon after three words or more, before a clause that begins with a pronoun or a conjunction.
"""
import glob
import os
import re
import sys

LONG, TOO_LONG = 30, 35
DOCUMENTS = ('*.md', 'core/**/*.md', 'ci/**/*.md', 'experiments/**/*.md', 'fixtures/**/*.md', 'packaging/**/*.md', 'paper/*.md.in')
SOURCES = ('core/**/*.[1ch]', 'bpf/*.h')
NO_PRODUCT = re.compile(r'_(test|fixture|fuzz)\.[ch]$')
HABITS = (
    ('begins so', re.compile(r"^\W*(what|whether|of|as|the same)\b(?!.*\?\W*$)", re.I | re.S)),
    ('words', re.compile(r"\b(is|are|was|were|be|been|being) (told|said)\b|\btold of\b|\bdear\b|\bmade for\b", re.I)),
    ('colon', re.compile(r"\w\W* \w\S* \w\S*: (it|its|they|their|this|that|these|those|there|he|she|we|you|who|what|which|where|when|if|since"
                         r"|because|so|then|nothing|nobody|no|not|none|neither|do|only) ")),
)
WORD = re.compile(r"[^\W_]", re.U)
# A name or an option in lower case may begin a sentence, but nothing does after an abbreviation or an ellipsis.
SENTENCE_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][)\"']))[*_]*\s+(?=[(\"'`*_\[-]*[A-Za-z`\[\d])(?<!\.\.\. )(?<!\s[a-z]\. )(?<!\.\w\. )(?<!etc\. )")


def sentences_of(block):
    """A block's sentences, each as one line."""
    return [s for s in (' '.join(part.split()) for part in SENTENCE_END.split(block)) if WORD.search(s)]


def words_in(sentence):
    return sum(1 for word in sentence.split() if WORD.search(word))


def markdown(text):
    """Paragraphs and list items."""
    text = re.sub(r'<!--.*?-->', '', text, flags=re.S)
    block, blocks, fence = [], [], None
    for line in text.splitlines() + ['']:
        mark = re.match(r'\s*(```+|~~~+)', line)
        if mark and (fence is None or mark.group(1).startswith(fence)):
            fence = mark.group(1) if fence is None else None
            line = ''
        elif fence or line.startswith('    ') and not ''.join(block).strip():
            continue
        starts = re.match(r'\s*([-*+]|\d+\.|>)\s+', line)
        apart = re.match(r'\s*\||#', line) # a table's row or a heading
        if starts or apart or not line.strip():
            blocks.append('\n'.join(block))
            block = []
        if not apart:
            block.append(line[starts.end():] if starts else line)
    for found in blocks:
        found = re.sub(r'\]\([^)]*\)|\{@[^}]*\}', ']', re.sub(r'\{table [^}]*\}', '', found))
        yield re.sub(r'`[^`]+`', '`code`', found)


def manual(text):
    """Paragraphs of groff, without tags and without what stands between .nf and .fi."""
    block, blank = [], False
    for line in text.splitlines() + ['.PP']:
        macro, _, rest = line.partition(' ')
        blank = macro == '.nf' or blank and macro != '.fi'
        if blank or macro in ('.nf', '.fi', '.TP', '.PP', '.SH', '.SS', '.IP', '.TH', '.RS', '.RE', '.br') or line.startswith('.\\"'):
            yield '\n'.join(block or [])
            block = None if macro == '.TP' else []
            continue
        if line.startswith('.'):
            parts = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', rest)]
            line = ('' if len(macro) == 3 else ' ').join(parts)
        line = re.sub(r'\\f.|\\&', '', line).replace('\\-', '-').replace('\\e', '\\').replace('\\(em', '-').replace('\\(aq', "'")
        if block is None: # this line is the tag
            block = []
        else:
            block.append(line)


TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


SQL = re.compile(r'(CREATE|SELECT|INSERT|WITH) ')


def strings(text):
    """Literals, joined where only macros stand between them; SQL and those with fewer than four words are no sentence."""
    found, end = [], -1
    for token in TOKEN.finditer(text):
        if token.group()[0] != '"':
            continue
        value = token.group()[1:-1]
        if found and re.fullmatch(r'\s*([A-Z][A-Za-z0-9_]*\s*)?', text[end:token.start()]):
            found[-1] += ('u' if found[-1].endswith('%') else '') + value # % and PRIu64
        else:
            found.append(value)
        end = token.end()
    for value in found:
        for line in re.split(r'\\[ntv]', '' if SQL.match(value) else value):
            if len(re.findall(r'[A-Za-z]{2,}', line)) > 3 and '<' not in line[:2]:
                yield re.sub(r'%[-0-9.*]*(l|h|z|j)*[a-zA-Z]', 'N', line).replace('\\"', '"')


def comments(text):
    """Comments; lines that follow each other are one."""
    found, end, follows = [], -1, False
    for token in TOKEN.finditer(text):
        value = token.group()
        if value[0] != '/':
            continue
        value = re.sub(r'^\s*(//+|/?\*+/?)|\*/$', '', value, flags=re.M)
        own_line = not text[text.rfind('\n', 0, token.start()) + 1:token.start()].strip()
        if follows and own_line and re.fullmatch(r'[ \t]*\n?[ \t]*', text[end:token.start()]):
            found[-1] += '\n' + value
        else:
            found.append(value)
        end, follows = token.end(), own_line
    for value in found:
        yield from re.split(r'\n\s*\n|\n(?=\s{3,})', value)


def sentences_in(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        text = f.read()
    kind = {'.md': markdown, '.in': markdown, '.1': manual, '.c': strings, '.h': comments}[os.path.splitext(path)[1]]
    return [sentence for block in kind(text) for sentence in sentences_of(block)]


def reasons(sentence):
    words = words_in(sentence)
    found = [f'{words} words'] if words > LONG else []
    return found + [name for name, pattern in HABITS if pattern.search(sentence)]


def row(path):
    found = sentences_in(path)
    lengths = [words_in(s) for s in found]
    return (sum(n > LONG for n in lengths), sum(n > TOO_LONG for n in lengths),
            sum(bool(pattern.search(s)) for s in found for _, pattern in HABITS))


def main(files):
    if files:
        lengths = []
        for path in files:
            for sentence in sentences_in(path):
                lengths.append(words_in(sentence))
                if reasons(sentence):
                    print(f"{path}: {', '.join(reasons(sentence))}: {sentence}")
        print(f'{len(lengths)} sentences of {sum(lengths) / max(len(lengths), 1):.1f} words')
        return
    paths = {path for pattern in DOCUMENTS + SOURCES for path in glob.glob(pattern, recursive=True)}
    for path in sorted(paths):
        if not NO_PRODUCT.search(path) and any(row(path)):
            print(path, *row(path), sep='\t')


main(sys.argv[1:])

#!/usr/bin/env python3
"""Whether reports that a document shows are what gotrace prints of the recordings that they are of, on a terminal of 80 columns.

    check-examples.py [--write] GOTRACE [DOCUMENT...]      README.md without one

A code block below a line `<!-- of FILE -->` is of the recording FILE. Each command in it that begins with `$ gotrace report` is followed by what
it prints; a line `...` stands for lines that are left out. --write puts there what it prints, and leaves out as before.
"""
import fcntl
import itertools
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios


def read_of(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # the last that had it open has closed it
        return b""


def printed(gotrace, words, trace):
    """What a terminal of 80 columns shows, where the recording is gotrace.out."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 80, 0, 0))
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("GOTRACE") and k != "COLUMNS"}, "NO_COLOR": "1", "TERM": "xterm"}
    command, text = [gotrace, *words, "--no-pager"], b""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(trace, os.path.join(folder, "gotrace.out"))
        with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=environment, cwd=folder) as process:
            os.close(theirs)
            while more := read_of(ours):
                text += more
            os.close(ours)
    if process.returncode:
        raise ValueError(f"{' '.join(command)} failed: {text.decode(errors='replace').strip()}")
    return [line.rstrip() for line in text.decode().replace("\r", "").splitlines()]


def examples(text):
    """Of a document: (recording, where its block's lines begin and end)."""
    for m in re.finditer(r"^<!-- of (\S+) -->\n```\n(.*?)^```$", text, flags=re.M | re.S):
        yield m.group(1), m.start(2), m.end(2)


def shape(line):
    """A line without its numbers."""
    return " ".join(re.sub(r"[-<≈]?\d[\d.,]*(?:[num]?s|%)?", "0", line).split())


def shortened(now, shown):
    """What is printed, with `...` where lines are left out of what is shown: pieces are found by the shape of their first line."""
    kept, at = [], 0
    while shown:
        piece = list(itertools.takewhile(lambda line: line != "...", shown))
        if piece:
            begin = next((i for i in range(at, len(now)) if shape(now[i]) == shape(piece[0])), None)
            if begin is None or begin > at and not kept[-1:] == ["..."]:
                raise ValueError(f"there is no line like '{piece[0]}'" if begin is None else f"lines before '{piece[0]}' are left out")
            kept, at = kept + now[begin:begin + len(piece)], begin + len(piece)
        shown = shown[len(piece):]
        if shown[:1] == ["..."]:
            kept, shown = kept + ["..."], shown[1:]
    return kept if kept[-1:] == ["..."] else kept + now[at:]


def block_as_printed(gotrace, top, trace, block):
    """The block with what its reports print, and what differs."""
    out, wrong, lines, i = [], [], block.splitlines(), 0
    while i < len(lines):
        out.append(lines[i])
        i += 1
        if not lines[i - 1].startswith("$ gotrace report"):
            continue
        shown = []
        while i < len(lines) and not lines[i].startswith("$ "):
            shown.append(lines[i])
            i += 1
        now = printed(gotrace, lines[i - len(shown) - 1].split()[2:], os.path.join(top, trace))
        try:
            kept = shortened(now, shown)
        except ValueError as error:
            kept, wrong = shown, wrong + [str(error)]
        wrong += [f"'{a}', and not '{b}'" for a, b in zip(kept, shown) if a != b]
        if len(kept) != len(shown):
            wrong.append(f"{len(kept)} lines, and not {len(shown)}")
        out += kept
    return "".join(line + "\n" for line in out), wrong


def main():
    arguments = [a for a in sys.argv[1:] if a != "--write"]
    write = "--write" in sys.argv
    if not arguments:
        sys.exit(__doc__)
    gotrace, passed, failed = os.path.abspath(arguments[0]), 0, 0
    for document in arguments[1:] or ["README.md"]:
        with open(document) as f:
            text = f.read()
        found = list(examples(text))
        for trace, start, end in reversed(found):
            try:
                block, wrong = block_as_printed(gotrace, ".", trace, text[start:end])
            except ValueError as error:
                block, wrong = text[start:end], [str(error)]
            print("\n".join([f"{'not ok' if wrong else 'ok'} - reports of {trace} in {document} are what gotrace prints"] + [f"#   {line}" for line in wrong]))
            passed, failed = passed + (not wrong), failed + bool(wrong)
            text = text[:start] + block + text[end:]
        if not found:
            print(f"not ok - {document} shows a recording")
            failed += 1
        if write:
            with open(document, "w") as f:
                f.write(text)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


main()

#!/usr/bin/env python3
"""No file of the product uses another that, in the end, uses it: no circle between files.

    circles.py OBJECTS      OBJECTS: the folder of a build's objects, build/obj

A file uses another when its object needs a symbol that the other's object defines (nm).
That goes by what is called, not by what is included: several files may share a header.
Headers of core and bpf use those that they include, under any condition.
"""
import pathlib
import re
import subprocess
import sys

NO_PRODUCT = ('_test', '_fixture', '_fuzz')


def symbols_of(objects):
    """{file: (symbols it defines, symbols it needs)}, of the C files there are in core now."""
    result = {}
    for source in sorted(pathlib.Path('core').rglob('*.c')):
        if source.stem.endswith(NO_PRODUCT):
            continue
        listing = subprocess.run(['nm', '-P', '-g', objects / source.with_suffix('.o')], check=True,
                                 capture_output=True, text=True).stdout
        kinds = [line.split()[:2] for line in listing.splitlines()]
        result[str(source)] = ({name for name, kind in kinds if kind not in 'Uwv'},
                               {name for name, kind in kinds if kind in 'Uwv'})
    return result


def uses_of(symbols):
    """{file: {file it uses: the symbols}}"""
    owner = {name: file for file, (defined, _) in symbols.items() for name in defined}
    uses = {file: {} for file in symbols}
    for file, (_, needed) in symbols.items():
        for name in sorted(needed & owner.keys()):
            uses[file].setdefault(owner[name], []).append(name)
    return uses


def includes_of():
    """{header: {header it includes: ['#include']}}; in core names are below core, or below the top as bpf's are."""
    headers = sorted(str(path) for top in ('core', 'bpf') for path in pathlib.Path(top).rglob('*.h'))
    uses = {header: {} for header in headers}
    for header in headers:
        text = pathlib.Path(header).read_text(encoding='utf-8')
        for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, flags=re.M):
            for other in (f'core/{name}', name):
                if other in uses:
                    uses[header][other] = ['#include']
    return uses


def shortest_path(uses, start, end, left):
    """From start to end by files of left, as a list with both; None where there is no way."""
    came_from, frontier = {start: None}, [start]
    while frontier:
        following = []
        for file in frontier:
            for other in sorted(uses[file].keys() & left):
                if other == end:
                    path = [other]
                    while file:
                        path.append(file)
                        file = came_from[file]
                    return path[::-1]
                if other not in came_from:
                    came_from[other] = file
                    following.append(other)
        frontier = following
    return None


def groups_of(uses):
    """The sets of files each of which reaches every other one (strongly connected components)."""
    reach = {}
    for file in uses:
        seen, todo = set(), [file]
        while todo:
            todo += [other for other in uses[todo.pop()] if other not in seen and not seen.add(other)]
        reach[file] = seen
    groups = {frozenset(other for other in reach[file] if file in reach[other]) for file in uses}
    return sorted((group for group in groups if group), key=lambda group: sorted(group))


def circles_of(uses, group):
    """Short circles that together hold every file of the group, the shortest first."""
    found = {}
    for file in sorted(group):
        path = shortest_path(uses, file, file, group)
        found.setdefault(frozenset(path), path)
    return sorted(found.values(), key=len)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    uses = uses_of(symbols_of(pathlib.Path(sys.argv[1]))) | includes_of()
    groups = groups_of(uses)
    for group in groups:
        print(f'{len(group)} files use each other in a circle: {", ".join(sorted(group))}')
        for path in circles_of(uses, group):
            for file, other in zip(path, path[1:]):
                print(f'  {file} -> {other}: {", ".join(uses[file][other])}')
            print()
    print(f'circles: {len(groups)} among {len(uses)} files')
    sys.exit(1 if groups else 0)


if __name__ == '__main__':
    main()

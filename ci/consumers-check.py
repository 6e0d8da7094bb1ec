#!/usr/bin/env python3
"""Compares what other programs read out of exports (NAME.db, .csv, .thesis.csv, .folded, .pb.gz) with `gotrace report` (NAME.csv).

Each function must have the same name, the same number of calls and the same self time for all of them.
"""
import collections
import html
import os
import re
import subprocess
import sys

import duckdb
import duckdb_extension_sqlite_scanner
import pandas

STOPPED = ('[stack growth]', '[preempted]')  # leaf frames: time that is no function's own


def must_equal(what, got, expected):
    wrong = {k: (got.get(k), expected.get(k)) for k in {*got, *expected} if got.get(k) != expected.get(k)}
    if wrong:
        raise AssertionError(f'{what}: {len(wrong)} functions differ, of which {sorted(wrong.items())[:3]}')
    print(f'ok - {what}: {len(expected)} functions')


def main():
    folder = os.path.dirname(duckdb_extension_sqlite_scanner.__file__)
    reader = f'{folder}/extensions/v{duckdb.__version__}/sqlite_scanner.duckdb_extension'
    n = 0
    for path in sys.argv[1:]:
        name = path[:-len('.db')]
        short = os.path.basename(name)
        report = pandas.read_csv(name + '.csv')
        sampled = 'samples' in report
        db = duckdb.connect()
        db.execute(f"LOAD '{reader}'")
        db.execute(f"ATTACH '{path}' AS t (TYPE sqlite, READ_ONLY)")

        rows = db.execute('SELECT name, calls, self_ns FROM t.functions WHERE calls > 0').fetchall()
        columns = ('self_samples',) if sampled else ('calls', 'self_ns')
        expected = {r.function: tuple(int(getattr(r, c)) for c in columns) for r in report.itertuples() if getattr(r, columns[0]) > 0}
        must_equal(f'{short}: DuckDB, table functions', {r[0]: tuple(r[1:1 + len(columns)]) for r in rows}, expected)
        n += 1
        if not sampled:
            rows = db.execute('SELECT f.name, count(*), sum(c.self_ns) FROM t.calls c JOIN t.functions f ON f.id = c.function GROUP BY 1').fetchall()
            must_equal(f'{short}: DuckDB, table calls', {r[0]: (r[1], int(r[2])) for r in rows}, expected)
        else:
            rows = db.execute('SELECT f.name, sum(s.samples) FROM t.samples s JOIN t.paths p ON p.id = s.path '
                              'JOIN t.functions f ON f.id = p.function GROUP BY 1').fetchall()
            must_equal(f'{short}: DuckDB, table samples', {r[0]: (int(r[1]),) for r in rows}, expected)
        n += 1

        db.execute(f"COPY (SELECT * FROM t.functions) TO '{name}.parquet'")
        rows = db.execute(f"SELECT name, calls, self_ns FROM '{name}.parquet' WHERE calls > 0").fetchall()
        must_equal(f'{short}: DuckDB, Parquet', {r[0]: tuple(r[1:1 + len(columns)]) for r in rows}, expected)
        n += 1

        thesis = pandas.read_csv(name + '.thesis.csv')
        sums = thesis.groupby('Function').agg({'Calls [#]': 'sum', 'Total Exclusive T [ms]': 'sum'})
        key = 'self_samples' if sampled else 'calls'
        must_equal(f'{short}: pandas, the table of the thesis', {f: int(v) for f, v in sums['Calls [#]'].items() if v},
                   {r.function: int(getattr(r, key)) for r in report.itertuples() if getattr(r, key) > 0})
        n += 1
        if not sampled:
            must_equal(f'{short}: pandas, self time in it', {f: round(1e6 * v) for f, v in sums['Total Exclusive T [ms]'].items()},
                       {r.function: int(r.self_ns) for r in report.itertuples() if r.calls > 0})
            n += 1

        folded = collections.Counter()
        with open(name + '.folded', encoding='utf-8') as f:
            for line in f:
                stack, weight = line.rstrip('\n').rsplit(' ', 1)
                folded[stack.removesuffix(';[parked]').split(';')[-1]] += int(weight)  # pprof labels what parked goroutines waited
        top = subprocess.run(['go', 'tool', 'pprof', '-raw', '-sample_index=' + ('cpu' if sampled else 'wall'), name + '.pb.gz'],
                             check=True, capture_output=True, text=True).stdout
        must_equal(f'{short}: go tool pprof and the folded stacks', selves(top), {k: v for k, v in folded.items() if v})
        n += 1
        if os.environ.get('INFERNO'):
            must_equal(f'{short}: inferno', *pictured(name + '.folded'))
            n += 1
    print(f'{n} passed, 0 failed, 0 skipped')


def pictured(path):
    """The frames of inferno's flame graph, and those of the folded stacks: of a name, how many and their weight."""
    svg = subprocess.run([os.environ['INFERNO'], '--minwidth=0', path], check=True, capture_output=True, text=True).stdout
    got, want, frames = collections.defaultdict(list), collections.defaultdict(list), collections.Counter()
    for name, weight in re.findall(r'<title>([^<]*) \(([\d,]+) samples, [\d.]+%\)</title>', svg):
        if name != 'all':
            got[html.unescape(name)].append(int(weight.replace(',', '')))
    with open(path, encoding='utf-8') as f:
        for line in f:
            stack, weight = line.rstrip('\n').rsplit(' ', 1)
            parts = stack.split(';')
            for i in range(len(parts)):
                frames[tuple(parts[:i + 1])] += int(weight)
    for frame, weight in frames.items():
        if weight:
            want[frame[-1]].append(weight)
    return {k: sorted(v) for k, v in got.items()}, {k: sorted(v) for k, v in want.items()}


def selves(raw):
    """Self time by function of `pprof -raw`: of a location the first line is the innermost frame."""
    lines = raw.split('\n')
    types = lines[[i for i, x in enumerate(lines) if x.startswith('Samples:')][0] + 1].split()
    column = [i for i, x in enumerate(types) if x.startswith(('wall/', 'cpu/'))][0]
    where, sums, leaf = {}, collections.Counter(), []
    part = ''
    for line in lines:
        if line in ('Samples:', 'Locations', 'Mappings'):
            part = line
        elif part == 'Samples:':
            m = re.match(r' *((?:\d+ +)*\d+): ([\d ]+)$', line)
            if m:
                leaf.append((m.group(2).split()[0], int(m.group(1).split()[column])))
        elif part == 'Locations':
            m = re.match(r' *(\d+): 0x[0-9a-f]+ (?:M=\d+ )?(\S.*?) \S*:\d+(?::\d+)? s=\d+', line)
            if m:
                where[m.group(1)] = m.group(2)
    for at, value in leaf:
        sums[where[at]] += value
    return {k: v for k, v in sums.items() if v}


main()

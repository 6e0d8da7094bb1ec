"""Calls the modules of the thesis's collector, without Perun's command line.

  original.py generate BINARY MAP PACKAGE...   finds functions, writes the BPF program into the collector's folder and the names of the
                                               functions into MAP; prints how many functions and sites are probed
  original.py pair OUTPUT MAP HEAD CALLS       pairs the events of OUTPUT; appends HEAD,FUNCTION,CALLS lines to CALLS; prints
                                               how many calls there are and how many warnings pairing gave

The collector's Perun is in PYTHONPATH.
"""
import contextlib
import io
import json
import sys
from pathlib import Path

from perun.collect.gotrace import bpfgen, interpret, symbols

RING = 4096 * 4096 * 10  # the collector's own default


def generate(binary, names, *packages):
    functions, sites = symbols.get_symbols(binary, packages)
    bpfgen.generate_bpf_c(str(Path(binary).resolve()), sites, RING)
    Path(names).write_text(json.dumps(functions), encoding="utf-8")
    print(len(sites), sum(1 + len(returns) + (morestack is not None) for returns, morestack in sites.values()))


def pair(output, names, head, calls):
    functions = {int(number): name for number, name in json.loads(Path(names).read_text(encoding="utf-8")).items()}
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        traces = interpret.parse_traces(Path(output), functions, interpret.FuncDataFlat)
    count = {}
    for name, _, data in traces:
        count[name] = count.get(name, 0) + data.call_count
    with open(calls, "a", encoding="utf-8") as rows:
        for name in sorted(count):
            rows.write(f"{head},{name},{count[name]}\n")
    warnings = said.getvalue().count("stack mismatch") + said.getvalue().count("no calling event")
    print(sum(count.values()), warnings)


{"generate": generate, "pair": pair}[sys.argv[1]](*sys.argv[2:])

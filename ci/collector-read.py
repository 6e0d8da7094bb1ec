#!/usr/bin/env python3
"""What a Collector wrote into a file by its exporter `file`: a line for each profile, of fields between tabs.

    collector-read.py FILE              service, type, sum of the values, samples, time, duration, ids of processes and threads,
                                        programs, attributes of the resource as name=value
    collector-read.py FILE --functions  type, innermost function, sum
"""
import collections
import json
import sys


def value_of(value, strings):
    """The one field of a value, which may be an index of a string."""
    for kind, v in value.items():
        if kind == "stringValueStrindex":
            return strings[v]
        return int(v) if kind == "intValue" else v
    return ""


def key_of(attribute, strings):
    return attribute["key"] if attribute.get("key") else strings[attribute["keyStrindex"]]


def main():
    functions = collections.Counter()
    for line in open(sys.argv[1], encoding="utf-8"):
        message = json.loads(line)
        tables = message["dictionary"]
        strings = tables["stringTable"]
        for resource in message["resourceProfiles"]:
            about = {key_of(a, strings): value_of(a["value"], strings) for a in resource["resource"].get("attributes", [])}
            for profile in (p for s in resource["scopeProfiles"] for p in s["profiles"]):
                kind = strings[profile["sampleType"]["typeStrindex"]]
                total = 0
                seen = collections.defaultdict(set)
                for sample in profile["samples"]:
                    weight = sum(int(v) for v in sample["values"])
                    total += weight
                    stack = tables["stackTable"][sample["stackIndex"]]["locationIndices"]
                    lines = tables["locationTable"][stack[0]]["lines"]
                    functions[kind, strings[tables["functionTable"][lines[0]["functionIndex"]]["nameStrindex"]]] += weight
                    for i in sample.get("attributeIndices", []):
                        attribute = tables["attributeTable"][i]
                        seen[key_of(attribute, strings)].add(str(value_of(attribute["value"], strings)))
                if "--functions" not in sys.argv:
                    print(about.get("service.name", ""), kind, total, len(profile["samples"]), profile.get("timeUnixNano", 0),
                          profile.get("durationNano", 0), *(",".join(sorted(seen[name])) or "-" for name in
                                                            ("process.pid", "thread.id", "process.executable.name")),
                          " ".join(f"{k}={v}" for k, v in sorted(about.items())), sep="\t")
    if "--functions" in sys.argv:
        for (kind, name), total in sorted(functions.items()):
            print(kind, name, total, sep="\t")


main()

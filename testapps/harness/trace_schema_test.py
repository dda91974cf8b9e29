#!/usr/bin/env python3
"""What trace_schema.py takes for valid the judge does too: of lines of all kinds, and of what is made of them by taking
something out, by putting something else in its place, and by adding something. And of lines that are right most are judged
the short way."""
import copy
import json
import pathlib
import sys

import trace_schema

if not trace_schema.HAS_SHORT_WAY:
    print("there is no fastjsonschema here")
    sys.exit(77)
schema = trace_schema.TraceSchema(sys.argv[1])
lines_of_kind = 4
others = (None, True, -1, 2**70, 1.5, "", "x", [], {}, [1], {"x": 1})
failures = []


def places(value, path=()):
    """Of everything that stands in a line, at most three elements of each array."""
    if isinstance(value, dict):
        inside = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))[:2] + list(enumerate(value))[2:][-1:]
    else:
        return
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(line):
    for path in places(line):
        for other in ("taken out", "added", *others):
            copied = copy.deepcopy(line)
            holder = copied
            for key in path[:-1]:
                holder = holder[key]
            if other == "taken out":
                del holder[path[-1]]
            elif other == "added":
                if isinstance(holder, list):
                    holder.append(holder[path[-1]])
                else:
                    holder["later_member"] = 1
            else:
                holder[path[-1]] = other
            yield path, other, copied


def main():
    chosen = {}
    files = sorted(pathlib.Path(sys.argv[2]).glob("v*/*/*.jsonl"))
    for file in [*files, pathlib.Path(__file__).with_name("trace_lines.jsonl")]:  # what golden traces have not
        for line in file.read_text(encoding="utf-8").split("\n")[:-1]:
            record = json.loads(line)
            chosen.setdefault(record["record"], []).append(record)
    if set(chosen) != set(schema.kinds):
        failures.append(f"there are no lines of these kinds: {set(schema.kinds) ^ set(chosen)}")
    changes = accepted = 0
    for kind, records in chosen.items():
        judge = schema.judge_of(kind)
        apart = sorted(records, key=lambda record: -len(record))[:lines_of_kind // 2] + records[:lines_of_kind // 2]
        for record in apart:
            if judge.is_valid(record) != schema.is_plainly_valid(kind, record):
                failures.append(f"only one of both takes for valid: {record}")
            for path, other, line in changed(record):
                if line.get("record") != kind:
                    continue
                changes += 1
                if schema.is_plainly_valid(kind, line):
                    accepted += 1
                    if not judge.is_valid(line):
                        failures.append(f"{kind}: taken for valid with {other!r} at {path}: {line}")
    if not 0 < accepted < changes / 2:
        failures.append(f"of {changes} changed lines {accepted} were valid")
    print("\n".join(failures[:20]) if failures else f"{changes} changed lines, {accepted} of them valid")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""A synthetic trace is one: its lines fit the schema, and what is read from it is what it was made of."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from trace_schema import TraceSchema  # noqa: E402


def check_memory(max_rss, ddtscope, trace, work):
    """What is told of each type is not kept: that would take ten kilobytes a type."""
    figures = os.path.join(work, "rss")

    def mebibytes(*arguments):
        if os.path.exists(figures):
            os.remove(figures)
        run = subprocess.run([max_rss, ddtscope, *arguments], stdout=subprocess.DEVNULL,
                             env={**os.environ, "MAX_RSS_FILE": figures})
        assert run.returncode in (0, 1), (arguments, run.returncode)  # 1: there are findings
        with open(figures, encoding="ascii") as file:
            return int(file.read()) / 1024

    loaded = mebibytes("summary", trace)
    for arguments in [["types", trace], ["types", "--json", trace], ["types", "--group-by", "layout", trace],
                      ["check", trace], ["check", "--json", trace], ["show", trace, "T9000"]]:
        taken = mebibytes(*arguments)
        assert taken < loaded + 80, (arguments, taken, loaded)


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--schema", required=True)
    parser.add_argument("--max-rss", help="the program max_rss: the memory that readers take is held to its bound")
    options = script.options_of(parser)
    generator, ddtscope, schema, work, max_rss = options.program, options.ddtscope, options.schema, options.work, options.max_rss
    trace = os.path.join(work, "trace")
    ranks, definitions, common = 20, 40, 75
    subprocess.run([generator, trace, str(ranks), str(definitions), str(common)], check=True)

    of_lines = TraceSchema(schema)
    with open(os.path.join(trace, "rank-7.jsonl"), encoding="utf-8") as file:
        for line in file:
            of_lines.validate(json.loads(line))

    def report(verb, trace=trace):
        run = subprocess.run([ddtscope, verb, "--json", trace], check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(run.stdout)

    of_all = definitions * common // 100
    types = report("types")
    assert len(types) == of_all + ranks * (definitions - of_all), len(types)
    shared = [type for type in types if type["instances"][0]["ranks"] == [[0, ranks - 1]]]
    assert len(shared) == of_all, len(shared)
    alone = [type for type in types if len(type["instances"]) == 1 and
             all(first == last for first, last in type["instances"][0]["ranks"])]
    assert len(alone) == ranks * (definitions - of_all), len(alone)
    assert sum(part["created"] for type in types for part in type["instances"]) == 40 * ranks * definitions
    summary = report("summary")
    assert summary["complete"] is True, summary["complete"]

    # Of one in a hundred ranks one receive is wrong: rank 0's here.
    talking = os.path.join(work, "talking")
    subprocess.run([generator, talking, "20", "4", "75", "1", "100"], check=True)
    with open(os.path.join(talking, "rank-0.jsonl"), encoding="utf-8") as file:
        for line in file:
            of_lines.validate(json.loads(line))
    # A channel of exchange i has 1 + 2 * (1000 + i) messages, and there are 5 of each exchange.
    all_messages = 20 * 5 * sum(1 + 2 * (1000 + i) for i in range(20))
    messages = report("summary", talking)["messages"]
    assert messages["channels"] == 2000 and messages["messages"] == all_messages, messages
    assert messages["matched"] == {"channels": 1999, "messages": all_messages - 1}, messages
    assert messages["differing"] == 1 and not messages["undecided"], messages
    together = os.path.join(work, "together")
    subprocess.run([ddtscope, "merge", talking, "-o", together], check=True)
    assert report("summary", together)["messages"] == messages
    assert report("summary")["messages"] is None

    # So many that the lines are made in pieces, by two threads, that not all layouts are kept, and that findings are
    # looked for in windows.
    long = os.path.join(work, "long")
    subprocess.run([generator, long, "1", "18000", "0"], check=True)
    run = subprocess.run([ddtscope, "types", long], check=True, stdout=subprocess.PIPE, text=True)
    heading, *lines = run.stdout.splitlines()
    types = report("types", long)
    assert len(lines) == len(types) == 18000, len(lines)
    for line, type in zip(lines, types):
        cells = line.replace(",", "").split()[:10]
        bounds = ["undefined" if type[name] is None else str(type[name]) for name in ("size", "extent", "true_extent")]
        holes = type["diagnosis"]["hole_bytes"]
        each = cells[7]
        if type["size"] is not None:
            tenths = int(type["size"]) * 10 // int(type["blocks"])
            each = str(tenths // 10) + (f".{tenths % 10}" if tenths % 10 else "")
        assert cells == [type["id"], "40", "0", *bounds, str(type["blocks"]), each,
                         "?" if holes is None else str(holes), type["overlap"]], (line, type)
        assert line.startswith(type["overlap"], heading.index("overlap") + 7 - len(type["overlap"])), line

    for order, measure in (("size", lambda type: -1 if type["size"] is None else int(type["size"])), ("blocks", lambda type: int(type["blocks"])), ("id", None)):
        run = subprocess.run([ddtscope, "types", long, "--sort", order], check=True, stdout=subprocess.PIPE, text=True)
        sorted_types = types if measure is None else sorted(types, key=measure, reverse=True)
        assert [line.split()[0] for line in run.stdout.splitlines()[1:]] == [type["id"] for type in sorted_types], order

    if max_rss:
        check_memory(max_rss, ddtscope, long, work)

    merged = os.path.join(work, "merged")
    subprocess.run([ddtscope, "merge", trace, "-o", merged], check=True)
    assert os.listdir(merged) == ["trace.jsonl"], os.listdir(merged)
    assert report("types", merged) == report("types")


main()

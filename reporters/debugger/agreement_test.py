"""The debuggers' rules against the table that those of `ddtscope check` are held against, too.

    agreement_test.py VERDICTS.CSV
"""
import csv
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from ddtscope_agreement import COMPLEX, FLOATING, INTEGER, POINTER, verdict_on

KINDS = {"floating": FLOATING, "complex": COMPLEX, "pointer": POINTER}  # all others are integers
SAID = {"fits": "", "sign": "", "pointer": "a pointer, in place of what it points to", "other_size": "another size",
        "other_place": "not at its beginning"}

failures = 0
with open(sys.argv[1], newline="") as file:
    cases = list(csv.DictReader(file))
for case in cases:
    said = verdict_on(case["basic"], int(case["bytes"]), KINDS.get(case["kind"], INTEGER), int(case["kind_bytes"]), int(case["within"]))
    is_right = " against " in said if case["verdict"] == "other_kind" else said == SAID[case["verdict"]]
    if not is_right:
        print(f"{dict(case)}: {said!r}", file=sys.stderr)
        failures += 1
if len(cases) < 50:
    print(f"{len(cases)} cases", file=sys.stderr)
    failures += 1
sys.exit(1 if failures else 0)

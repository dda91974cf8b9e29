"""What the scripts that test the command have in common: checks are counted, failures collected and told at the end. A script
that stands in another folder of reporters says where this is before it imports it:

    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
"""
import sys

failures = []
_count = 0


def expect(truth, what):
    global _count
    _count += 1
    if not truth:
        failures.append(what)


def finish(what=""):
    for failure in failures[:40]:
        print("FAILED", failure)
    print(f"{what}{_count} checks, {len(failures)} failures")
    sys.exit(bool(failures))

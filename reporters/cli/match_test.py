"""`ddtscope match`: what the standard says of pairs of types (MPI-4.1 3.3.1, 3.2.4, 5.2), in text and in JSON.

    match_test.py DDTSCOPE REPORTERS
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
hand = reporters / "trace/testdata/v1/hand"
schema = jsonschema.Draft202012Validator(json.loads((reporters / "json/match.schema.json").read_text()))

RECORD = "MPI_Type_create_struct(2, {1, 1}, {0, 8}, {MPI_LONG, MPI_DOUBLE})"
OTHER = "MPI_Type_create_struct(2, {1, 1}, {8, 0}, {MPI_INT64_T, MPI_DOUBLE})"
# Sent, received, counts, result, severity, the entry where they part.
PAIRS = [
    ("MPI_INT", "MPI_INT", "3,3", "equal", None, None),
    ("MPI_INT", "MPI_INT", "2,3", "receive longer", None, None),
    ("MPI_INT", "MPI_INT", "3,2", "send longer", "error", 2),
    ("MPI_INT", "MPI_FLOAT", "1,1", "different types", "error", 0),
    ("MPI_LONG", "MPI_INT64_T", "1,1", "different types", "warning", 0),
    ("MPI_CHAR", "MPI_SIGNED_CHAR", "4", "different types", "warning", 0),
    ("MPI_BYTE", "MPI_INT", "8,2", "bytes and types", "warning", 0),
    ("MPI_BYTE", "MPI_INT", "8,3", "bytes and types", "warning", 0),
    ("MPI_BYTE", "MPI_INT", "7,3", "bytes and types", "error", 0),
    ("MPI_INT", "MPI_BYTE", "3,11", "bytes and types", "error", 0),
    ("MPI_PACKED", "MPI_INT", "8,2", "packed", None, None),
    ("MPI_Type_vector(3, 2, 5, MPI_DOUBLE)", "MPI_DOUBLE", "1,6", "equal", None, None),
    (RECORD, OTHER, "5,5", "different types", "warning", 0),
    (RECORD, "MPI_Type_contiguous(2, MPI_DOUBLE)", "1,1", "different types", "error", 0),
    ("MPI_Type_contiguous(1000000000, MPI_Type_contiguous(1000000000, MPI_INT))",
     "MPI_Type_contiguous(1000000000, MPI_Type_contiguous(1000000000, MPI_INT))", "1000000000", "equal", None, None),
]


def run(*arguments):
    return subprocess.run([command, "match", *map(str, arguments)], capture_output=True, text=True, timeout=60)


def pairs():
    for send, receive, counts, result, severity, entry in PAIRS:
        what = f"{send} {receive} {counts}"
        ran = run(send, receive, "--count", counts, "--json")
        document = json.loads(ran.stdout)
        for error in schema.iter_errors(document):
            expect(False, f"{what}: {error.message}")
        expect(ran.returncode == (0 if severity is None else 1), f"{what}: status {ran.returncode}")
        expect((document["result"], document["severity"]) == (result, severity), f"{what}: {document}")
        at = document["difference"]["entry"] if document["difference"] else None
        expect(at == entry, f"{what}: they part at {at}, not {entry}")
        tolerant = run(send, receive, "--count", counts, "--fail-on", "error")
        expect(tolerant.returncode == (1 if severity == "error" else 0), f"{what}: --fail-on error gives {tolerant.returncode}")
        words = "They match" if severity is None else "They do not match"
        expect(words in tolerant.stdout, f"{what}: {tolerant.stdout}")


def of_a_trace():
    ran = run(hand, "T1", "T1")
    expect(ran.returncode == 0 and "of T1" in ran.stdout, ran)
    ran = run(hand, "T1", "MPI_Type_contiguous(1, MPI_CHAR)", "--json")
    expect(json.loads(ran.stdout)["send"]["type"] == "T1" and ran.returncode == 1, ran)


def place():
    """The first entry that differs, where it stands on both sides."""
    ran = run(RECORD, "MPI_Type_create_struct(2, {1, 1}, {0, 16}, {MPI_LONG, MPI_INT})", "--count", "3,3", "--json")
    difference = json.loads(ran.stdout)["difference"]
    expect(difference["entry"] == 1, difference)
    expect(difference["send"] == {"basic": "MPI_DOUBLE", "displacement": 8, "copy": 0, "entry": 1}, difference)
    expect(difference["receive"] == {"basic": "MPI_INT", "displacement": 16, "copy": 0, "entry": 1}, difference)


def bad_input():
    for words, status, said in ((["MPI_INT"], 2, "match needs two types"), (["T1", "T2"], 2, "say the trace of T1"),
                                ([hand, "T1", "T99"], 2, "there is no type T99"), (["MPI_INT", "MPI_Type_vector(3)"], 2, "blocklength is missing"),
                                (["MPI_INT", "MPI_INT", "--count", "-1"], 2, "--count takes"),
                                (["MPI_INT", "MPI_INT", "--count", "1,2,3"], 2, "--count takes"),
                                (["/nowhere", "T1", "T2"], 3, "no such file")):
        ran = run(*words)
        good = ran.returncode == status and ran.stderr.startswith("ddtscope: ") and not ran.stdout
        expect(good and said in ran.stderr, f"{words}: {ran}")


pairs()
of_a_trace()
place()
bad_input()
finish()

"""`ddtscope measure` with a real library: figures of types of a known relation are there, and the library moves the bytes that the
typemap says. What cannot be measured, or fails, is told, and leaves nothing behind. How long anything takes is not looked at."""
import html
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

MOVING = ("pack", "unpack", "send_to_self")


def arguments():
    parser = script.parser(__doc__)
    parser.add_argument("--cc", required=True, help="compiler wrapper for C")
    parser.add_argument("--reporters", required=True, help="the folder of the schemas")
    return script.options_of(parser)


WRONG = """#include <mpi.h>
static inline int wrong_pack(const void *from, int count, MPI_Datatype type, void *to, int room, int *at, MPI_Comm comm) {
  const int result = MPI_Pack(from, count, type, to, room, at, comm);
  ((char *)to)[5] ^= PACKS_WRONG;
  return result;
}
static inline int wrong_unpack(const void *from, int size, int *at, void *to, int count, MPI_Datatype type, MPI_Comm comm) {
  const int result = MPI_Unpack(from, size, at, to, count, type, comm);
  ((char *)to)[9] ^= WRITES_BETWEEN;
  return result;
}
static inline int wrong_extent(MPI_Datatype type, MPI_Count *lb, MPI_Count *extent) {
  const int result = MPI_Type_get_extent_x(type, lb, extent);
  *extent += 8 * HAS_OTHER_EXTENT;
  return result;
}
#define MPI_Pack wrong_pack
#define MPI_Unpack wrong_unpack
#define MPI_Type_get_extent_x wrong_extent
"""


class Measure:
    def __init__(self, args):
        self.args = args
        self.temporary = os.path.join(args.work, "tmp")
        os.mkdir(self.temporary)
        self.env = {**base_environment(), "TMPDIR": self.temporary}
        self.env.pop("MPICC", None)
        with open(os.path.join(args.reporters, "json", "measure.schema.json"), encoding="utf-8") as schema:
            self.schema = jsonschema.Draft202012Validator(json.load(schema))
        self.trace = os.path.join(args.work, "trace")
        self.compiler = ["--compiler", args.cc]
        self.column = None  # its id
        # What the program says of the column, kept so that what comes after it need not wait for a library.
        self.answers = os.path.join(args.work, "answers")
        self.no_compiler = ["--compiler", self.script("no-compiler", "exit 0")]

    def command(self, *words):
        return [self.args.ddtscope, "measure", *map(str, words)]

    def run(self, *words, env=None):
        ran = subprocess.run(self.command(*words), env=env or self.env, capture_output=True, text=True, timeout=300)
        if os.listdir(self.temporary):
            fail(str(words), f"leaves {os.listdir(self.temporary)}")
        return ran

    def document(self, *words, status=0):
        ran = self.run(*words, *self.compiler, "--json")
        if ran.returncode != status or ran.stderr:
            fail(str(words), f"status {ran.returncode}: {ran.stderr[:2000]}")
            return None
        document = json.loads(ran.stdout)
        for error in self.schema.iter_errors(document):
            fail(str(words), f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        return document

    def one(self, call, *options):
        document = self.document(call, "--mpi", self.args.abi, *options)
        return document["types"][0] if document else None

    def refused(self, status, said, *words, env=None):
        ran = self.run(*words, env=env)
        first = ran.stderr.split("\n")[0]
        if ran.returncode != status or not first.startswith("ddtscope: ") or said not in ran.stderr or ran.stdout:
            fail(str(words), f"status {ran.returncode}, not {status} with {said!r}: {ran.stderr[:600]!r} {ran.stdout[:300]!r}")
        return ran

    def script(self, name, text):
        return script.shell_script(self.args.work, name, text)

    def erring(self, kind):
        """A compiler for a library that errs so."""
        header = os.path.join(self.args.work, "wrong.h")
        with open(header, "w", encoding="utf-8") as out:
            out.write(WRONG)
        kinds = " ".join(f"-D{each}={int(each == kind)}" for each in ("PACKS_WRONG", "WRITES_BETWEEN", "HAS_OTHER_EXTENT"))
        return f"{self.args.cc} {kinds} -include {header}"


def check_figures(what, measured, form, lacking=()):
    """All that apply are there; that they are positive says the schema."""
    wanted = {name: name not in lacking for name in ("create", "commit", *MOVING)}
    found = {name: form[name] is not None for name in wanted}
    if found != wanted or form["why_not"] or form["wrong_data"]:
        fail(what, form["kind"], f"{found} {form['why_not']} {form['wrong_data']}")
    for name in MOVING:
        rate = form[name] and form[name]["gb_per_s"] * form[name]["ns"]
        if rate and abs(rate - measured["bytes"]) > 1e-3 * measured["bytes"]:
            fail(what, form["kind"], name, f"{rate} bytes are moved, not {measured['bytes']}")


def of_a_trace(measure):
    document = measure.document(measure.trace)
    if document is None:
        return
    if not document["library"].startswith("Open MPI" if measure.args.library == "openmpi" else "MPICH"):
        fail("library", document["library"])
    measure.column = document["types"][0]["type"]
    names = [measured["names"][0] for measured in document["types"]]
    if names != ["column", "uneven", "struct", "contiguous"] and names != ["column", "uneven", "contiguous", "struct"]:
        fail("most bytes first", str(names))
    for measured in document["types"]:
        if measured["copies"] * {"struct": 33}.get(measured["names"][0], measured["bytes"] // measured["copies"]) != measured["bytes"]:
            fail(measured["names"][0], f"{measured['copies']} copies are {measured['bytes']} bytes")
        for form in measured["forms"]:
            check_figures(measured["names"][0], measured, form)
        if not measured["plain"] or measured["plain"]["unpack_by_hand"] is None:
            fail(measured["names"][0], f"no plain figures: {measured['plain']}")
    calls = {measured["names"][0]: [form["call"] for form in measured["forms"]] for measured in document["types"]}
    if "MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE)" not in calls["column"]:
        fail("the column's blocks", str(calls["column"]))
    if len(calls["contiguous"]) != 1:
        fail("nothing is simpler than a contiguous type", str(calls["contiguous"]))


def in_words(measure):
    """By a library that is looked at as those that err, and does not."""
    noting = measure.script("noting-launcher", f'"$@" | tee "{measure.answers}"')
    ran = measure.run(measure.trace, "column", "--count", 100, "--launcher", noting, "--compiler", measure.erring("NOTHING"))
    for said in ('"column"', f" on {os.uname().nodename}, compiled by ", "100 copies", "4,800 bytes of data", "6 blocks each",
                 "packs at", "by hand", "plain copy", "blockwise: MPI_Type_create_hvector(6, 1, 64, MPI_DOUBLE)", "memcpy"):
        if ran.returncode != 0 or said not in ran.stdout:
            fail("text", f"{said!r} is missing: {ran.stdout}{ran.stderr}")


def of_all_shapes(measure):
    """Where nothing may be received, or nothing is made; absolute addresses; copies that go down; padding; oldtypes whose
    parts are simpler."""
    for call, lacking in (
            ("MPI_Type_vector(3, 2, 1, MPI_INT)", ("unpack", "send_to_self")),
            ("MPI_Type_create_f90_real(6, 30)", ("create", "commit")),
            ("MPI_Type_create_resized(MPI_Type_vector(4, 1, -3, MPI_SHORT), 0, -16)", ()),
            ("MPI_Type_create_struct(2, {1, 3}, {140737488355328, 140737488355376}, {MPI_C_LONG_DOUBLE_COMPLEX, MPI_CHAR})", ()),
            ("MPI_Type_dup(MPI_Type_create_hvector(100, 1, 640, MPI_Type_contiguous(1, MPI_Type_vector(10, 1, 4, MPI_DOUBLE))))",
             ())):
        measured = measure.one(call, "--count", 50)
        if measured:
            check_figures(call, measured, measured["forms"][0], lacking)
    # Whatever a library makes of a dup: the type itself is measured, and beside it what is simpler.
    if measured and [form["kind"] for form in measured["forms"]][:2] != ["type", "simpler"]:
        fail("simpler", str(measured["forms"]))


def wrong_libraries(measure):
    """A library that errs is found out, and is not measured."""
    call = "MPI_Type_vector(6, 1, 8, MPI_DOUBLE)"
    for errs, status, said in (("PACKS_WRONG", 1, "MPI_Pack packs other bytes than the typemap says: the first is byte 5"),
                               ("WRITES_BETWEEN", 1, "MPI_Unpack unpacks the data, and writes bytes between them."),
                               ("HAS_OTHER_EXTENT", 2, "the library here gives it the extent 336, not 328.")):
        ran = measure.run(call, "--mpi", measure.args.abi, "--count", 100, "--json", "--compiler",
                          measure.erring(errs))
        told = ran.stderr if status == 2 else str(json.loads(ran.stdout or "{}"))
        if ran.returncode != status or said not in told:
            fail(errs, f"status {ran.returncode}, not {status}: {told} {ran.stderr}")
        if status == 1 and json.loads(ran.stdout)["types"][0]["forms"][0]["pack"] is not None:
            fail(errs, "wrong data is measured")


def kept(measure):
    """With the trace: what it costs stands with the finding that says that it does."""
    def check(*words):
        return subprocess.run([measure.args.ddtscope, "check", measure.trace, *words], env=measure.env, capture_output=True,
                              text=True, timeout=100)

    def findings():
        document = json.loads(check("--json").stdout)
        for error in schema.iter_errors(document):
            fail("check --json", f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        return {(f["id"], f["type"]): f["measured"] for f in document["findings"]}

    with open(os.path.join(measure.args.reporters, "json", "check.schema.json"), encoding="utf-8") as text:
        schema = jsonschema.Draft202012Validator(json.load(text))
    file = os.path.join(measure.trace, "measured.json")
    wanted = [found for found in findings() if found[0] in ("simpler-type", "small-blocks")]
    if not wanted or os.path.exists(file):
        fail("figures that are to be kept", f"findings: {wanted}, or they are there before")
    for _, datatype in wanted:
        measure.document(measure.trace, datatype, "--keep", "--count", 100)
    said = findings()
    for found, measured in said.items():
        if (measured is not None) != (found in wanted) or (measured and measured["type"] != found[1]):
            fail(str(found), f"is told with {measured}")
    text = check().stdout
    if text.count("    Measured with ") != len(wanted) or f"{wanted[0][1]} " not in text:
        fail("check", text)
    sentences = [line.strip() for line in text.splitlines() if line.startswith("    Measured with ")]
    results = json.loads(check("--sarif").stdout)["runs"][0]["results"]
    told = [result["ruleId"] for result in results if any(result["message"]["text"].endswith(" " + sentence) for sentence in sentences)]
    if sorted(told) != sorted(finding for finding, _ in wanted):
        fail("check --sarif", f"figures of {told}, should be of {wanted}")
    page = os.path.join(measure.args.work, "figures.html")
    subprocess.run([measure.args.ddtscope, "report", measure.trace, "-o", page], env=measure.env, check=True, timeout=100)
    with open(page, encoding="utf-8") as source:
        page_text = html.unescape(source.read())
    for sentence in sentences:
        if f"<p>{sentence}</p>" not in page_text:
            fail("report", f"does not tell: {sentence}")
    # The next figures take their place; a file that is damaged is told, and stays.
    measure.document(measure.trace, wanted[0][1], "--keep", "--count", 200)
    if findings()[wanted[0]]["copies"] != 200 or set(findings()) != set(said):
        fail("newer figures", str(findings()[wanted[0]]))
    with open(file, "r+", encoding="utf-8") as out:
        text = out.read().replace('"ns"', '"s"')
        out.seek(0)
        out.write(text)
    ran = check("--json")
    if "is damaged" not in ran.stderr or any(f["measured"] for f in json.loads(ran.stdout)["findings"]):
        fail("damaged figures", ran.stderr)
    os.remove(file)
    measure.refused(2, "but none is given", "MPI_Type_vector(3, 1, 2, MPI_INT)", "--keep", *measure.no_compiler)


def cannot(measure):
    trace, compiler = measure.trace, measure.compiler
    measure.refused(2, "no type T99", trace, "T99", *compiler)
    measure.refused(2, "has no data", "MPI_Type_contiguous(0, MPI_INT)", *compiler)
    measure.refused(2, "256 MiB", trace, "column", "--count", 2000000000, *compiler)
    measure.refused(2, "--count takes", trace, "column", "--count", 0)
    measure.refused(2, "MPI_Type_vektor", "MPI_Type_vektor(1)", *compiler)
    measure.refused(3, "no such file", trace + "-none", *compiler)
    measure.refused(2, "--compiler: there is no program nothing-of-this-name", trace, "--compiler", "nothing-of-this-name -x")
    measure.refused(2, "--compiler needs a command", trace, "--compiler", " ")
    measure.refused(2, "--launcher: there is no program", trace, "--launcher", "nothing-of-this-name", *compiler)
    without = {**measure.env, "PATH": measure.args.work}
    measure.refused(2, f"no compiler for programs of {measure.args.abi} in PATH", trace, env=without)
    measure.refused(2, "MPICC: there is no program", trace, env={**without, "MPICC": "nothing-of-this-name"})
    measure.refused(2, "no temporary folder can be made", trace, *compiler, env={**measure.env, "TMPDIR": "/dev/null"})
    # It is the trace's folder, and no constructor call.
    with_parentheses = os.path.join(measure.args.work, "trace (1)")
    shutil.copytree(trace, with_parentheses)
    measure.refused(2, "--compiler: there is no program", with_parentheses, "--compiler", "nothing-of-this-name")


def failing(measure):
    trace = measure.trace
    refusing = measure.script("refusing-compiler", "echo 'what is \033[1mthis' >&2; exit 7")
    ran = measure.refused(3, f"the compiler {refusing} -x ended with status 7.\n  what is \\x1b[1mthis\n", trace, "column",
                          "--compiler", refusing + "  -x")
    if ran.stderr.count("\n") != 2:
        fail("failing compiler", ran.stderr)
    crashing = measure.script("crashing-launcher", "echo before >&2; kill -SEGV $$")
    measure.refused(3, "was killed by signal 11 (Segmentation fault).\n  before\n", trace, "column", "--launcher", crashing,
                    *measure.no_compiler)
    not_finding = measure.script("not-finding-launcher", "exit 127")
    measure.refused(3, "ended with status 127; TMPDIR must be a folder that is the same on the node", trace, "column",
                    "--launcher", not_finding, *measure.no_compiler)
    hanging = measure.script("hanging-launcher", "sleep 100")
    measure.refused(3, "did not end within 1 s", "MPI_Type_dup(MPI_INT)", "--launcher", hanging, "--timeout", 1,
                    *measure.no_compiler)
    # What one type's program has measured before it fails stands in the report.
    late = measure.script("late-launcher", f'cat "{measure.answers}"; exit 9')
    ran = measure.run(trace, "column", "--launcher", late, *measure.no_compiler)
    if ran.returncode != 3 or "ended with status 9.\n" not in ran.stderr or "packs at" not in ran.stdout:
        fail("a program that fails at its end", f"{ran.returncode} {ran.stdout} {ran.stderr}")


def midway(measure):
    """What was measured is told, where the next type cannot be: the disk is full, or the compiler is gone."""
    elsewhere = 's/"host":"[^"]*"/"host":"elsewhere"/'
    replaying = f'sed \'{elsewhere}\' "{measure.answers}"'
    filling = measure.script("filling-launcher", replaying + '; rm "$TMPDIR/measure.c"; mkdir "$TMPDIR/measure.c"')
    ways = [(3, "is the disk full?", ["--launcher", filling, *measure.no_compiler])]
    if not script.IS_EMULATED:  # where what cannot be started is something that ends with 127
        vanishing = measure.script("vanishing-compiler", 'rm "$0"')
        ways.append((2, "could not be started", ["--launcher", measure.script("replaying-launcher", replaying), "--compiler", vanishing]))
    for status, said, words in ways:
        ran = measure.run(measure.trace, *words)
        is_told = ran.stderr.startswith("ddtscope: ") and said in ran.stderr and ran.stderr.count("\n") == 1
        if ran.returncode != status or not is_told or ran.stdout.count("packs at") != 1 or "uneven" in ran.stdout:
            fail(said, f"status {ran.returncode}: {ran.stdout} {ran.stderr}")
        if " on elsewhere, compiled by " not in ran.stdout:
            fail("the host is the program's", ran.stdout)


def interrupted(measure):
    started = os.path.join(measure.args.work, "started")
    hanging = measure.script("starting-launcher", f'echo > "{started}"; sleep 100')
    for number in (signal.SIGINT, signal.SIGTERM):
        if os.path.exists(started):
            os.remove(started)
        running = subprocess.Popen(measure.command(measure.trace, "--launcher", hanging, *measure.no_compiler), env=measure.env,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        limit = time.monotonic() + 60
        while not os.path.exists(started) and time.monotonic() < limit:
            time.sleep(0.02)
        if not os.listdir(measure.temporary):
            fail(f"signal {number}", "there is no temporary folder")
        running.send_signal(number)
        out, err = running.communicate(timeout=60)
        if running.returncode != -number or out or os.listdir(measure.temporary):
            fail(f"signal {number}", f"status {running.returncode}, {out} {err} {os.listdir(measure.temporary)}")


def hostile(measure):
    """What a trace calls things reaches neither the program nor a shell."""
    evil = '*/ system(\\"touch pwned\\"); /* $(touch pwned) @functions@ %s'
    folder = os.path.join(measure.args.work, "hostile")
    os.mkdir(folder)
    for name in os.listdir(measure.trace):
        with open(os.path.join(measure.trace, name), encoding="utf-8") as source:
            text = source.read()
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(text.replace('"column"', f'"{evil}"'))
    seen = os.path.join(measure.args.work, "seen.c")
    peeking = measure.script("peeking-compiler", f'for word; do last=$word; done; cp "$last" "{seen}"; exec {measure.args.cc} "$@"')
    ran = measure.run(folder, measure.column, "--count", 10, "--json", "--compiler", peeking)
    with open(seen, encoding="utf-8") as source:
        text = source.read()
    if "MPI_Type_vector(6, 1, 8, MPI_DOUBLE" not in text:
        fail("hostile names", "another type's program was looked at")
    if ran.returncode != 0 or "pwned" in text or "@" in text or "pwned" not in ran.stdout or os.path.exists("pwned"):
        fail("hostile names", f"{ran.returncode} {ran.stderr}")
    with open(os.path.join(folder, "trace.jsonl" if os.path.exists(os.path.join(folder, "trace.jsonl")) else "rank-0.jsonl"),
              "r+", encoding="utf-8") as trace:
        text = trace.read().replace("MPI_DOUBLE", "MPI_X;system(1)")
        trace.seek(0)
        trace.truncate()
        trace.write(text)
    measure.refused(2, "no predefined datatype of the standard", folder, "T2", *measure.compiler)


def main():
    args = arguments()
    measure = Measure(args)
    subprocess.run([args.launcher, "-n", "1", args.ddtscope, "exec", "--quiet", "-o", measure.trace, args.program],
                   env={**measure.env, "TMPDIR": "/tmp"}, check=True, timeout=120)
    for part in (of_a_trace, in_words, of_all_shapes, wrong_libraries, kept, cannot, failing, midway, interrupted, hostile):
        part(measure)
    return script.outcome()


sys.exit(main())

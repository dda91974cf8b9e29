"""`ddtscope code` and types that are written down: golden traces, names that mean harm, and what cannot be asked.

    code_test.py DDTSCOPE REPORTERS
"""
import ast
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import jsonschema

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, failures, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
hand = reporters / "trace/testdata/v1/hand"
types_schema = json.loads((reporters / "json/types.schema.json").read_text())
one_type = jsonschema.Draft202012Validator({"$ref": "#/$defs/type", "$defs": types_schema["$defs"]})
LANGUAGES = ("c", "fortran", "python")


def run(*arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def code(*arguments):
    result = run("code", *arguments)
    expect(result.returncode == 0 and not result.stderr, f"code {arguments}: {result.returncode} {result.stderr}")
    return result.stdout


def shown(text, *options):
    result = run("show", text, "--json", *options)
    expect(result.returncode == 0, f"show {text}: {result.stderr}")
    document = json.loads(result.stdout)
    for error in list(one_type.iter_errors(document))[:3]:
        failures.append(f"show {text}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    return document


def without_comments(text, language):
    """Of Python its syntax tree; of C and Fortran the lines without comments, as a compiler takes them."""
    if language == "python":
        return ast.dump(ast.parse(text))
    if language == "fortran":
        return "\n".join(line.split("!")[0] for line in text.splitlines())
    while "/*" in text:
        before, rest = text.split("/*", 1)
        text = before + rest.split("*/", 1)[1]
    return text


def golden():
    """Each type of each golden trace: its call, written down, is that type again, and so is what the code calls."""
    for folder in sorted(path for path in (reporters / "trace/testdata").glob("v*/*") if path.is_dir()):
        for entry in json.loads(run("types", folder, "--json").stdout)[:30]:
            derived = [name for name in entry["contents"]["datatypes"] if not name.startswith("MPI_")]
            if not derived and "..." not in entry["call"]:
                again = shown(entry["call"])
                expect(again["key"] == entry["key"], f"{folder} {entry['call']}: key {again['key']}, not {entry['key']}")
            for language in LANGUAGES:
                written = run("code", folder, entry["id"], "--language", language)
                if written.returncode == 2 and language == "python" and "mpi4py has no name for" in written.stderr:
                    continue
                expect(written.returncode == 0, f"code {folder} {entry['id']} {language}: {written.stderr}")
                if language == "c" and "static const" not in written.stdout:
                    calls = without_comments(written.stdout, "c")
                    again = shown(calls[calls.index(";") + 1:])  # behind the declaration
                    expect(again["key"] == entry["key"], f"{folder} {entry['id']}: the code makes {again['call']}")


def hostile():
    """Names that would end a comment, begin a line, or be taken for what is to be filled in."""
    with tempfile.TemporaryDirectory() as place:
        for number, evil in enumerate(['*/ int x = system("id"); /*', 'a\nimport os; os.system("id")', "??/\ncall abort()", "\\\nint y;",
                                       '"""; __import__("os")', "@make@ @result@", "\u2028x = 1", "\x1b[31mred", "n" * 5000]):
            folder = pathlib.Path(place) / str(number)
            shutil.copytree(hand, folder)
            for file in folder.glob("*.jsonl"):
                text = file.read_text().replace('"particle"', json.dumps(evil))
                file.write_text(text.replace('"Open MPI v4.1.4', json.dumps(evil)[:-1]))
            for language in LANGUAGES:
                for program in ([], ["--program"]):
                    wanted = without_comments(code(hand, "T2", "--language", language, *program), language)
                    got = code(folder, "T2", "--language", language, *program)
                    expect(without_comments(got, language) == wanted, f"{evil!r} in {language}: {got}")
                    expect(all(" " <= c <= "~" or c == "\n" for c in got), f"{evil!r} in {language}: {got!r}")
                    expect(max(map(len, got.splitlines())) < 132, f"{evil[:9]!r} in {language}: lines that Fortran cuts")
        # A predefined type of no standard cannot be named in a program.
        folder = pathlib.Path(place) / "type"
        shutil.copytree(hand, folder)
        for file in folder.glob("*.jsonl"):
            file.write_text(file.read_text().replace("MPI_DOUBLE", 'MPI_X);system(1'))
        result = run("code", folder, "T1", "--language", "c")
        expect(result.returncode == 2 and "no predefined datatype of the standard" in result.stderr and not result.stdout, result)


def libraries():
    """Product and release of the library, which in MPICH's text are a line, in Open MPI's the words before a comma."""
    for trace, library in (("v1/constructors_mpich", "MPICH Version: 4.0.2"), ("v1/hand", "Open MPI v4.1.4")):
        text = code(reporters / "trace/testdata" / trace, "T1", "--language", "fortran")
        expect(f"! As made by a program with {library}\n" in text, f"{trace}: {text}")


def place_of(stderr):
    lines = stderr.splitlines()
    return lines[1][len(lines[2]) - 1:] if len(lines) == 3 and lines[2].strip() == "^" else None


def written_down():
    # MPI-4.1 5.1.2: three blocks of two doubles, five doubles apart; extent (2 * 5 + 2) * 8.
    vector = shown("MPI_Type_vector(3, 2, 5, MPI_DOUBLE)", "--typemap")
    expect((vector["size"], vector["extent"], vector["instances"]) == (48, 96, []), vector)
    expect([at for _, at in vector["typemap"]] == [0, 8, 40, 48, 80, 88], vector["typemap"])
    expect(vector["call"] == "MPI_Type_vector(3, 2, 5, MPI_DOUBLE)", vector["call"])
    expect(shown("U1(V:d:3:2:5)")["key"] == vector["key"], "the short notation is another type")
    expect(shown("MPI.DOUBLE.Create_vector(3, 2, 5)", "--mpi", "mpich")["key"] == vector["key"], "mpi4py's is another type")
    text = run("show", "MPI_Type_create_resized(MPI_Type_vector(3, 2, 5, MPI_DOUBLE), 0, 8)").stdout
    expect("T1 = MPI_Type_vector(3, 2, 5, MPI_DOUBLE)" in text and "MPI-4.1" in text and "made at" not in text, text)
    for call, words, at in (("MPI_Type_vector(3, -2, 5, MPI_DOUBLE)", "blocklength (-2) is negative", "-2, 5, MPI_DOUBLE)"),
                            ("MPI_Type_vector(3, 2, n, MPI_DOUBLE)", '"n" stands for', "n, MPI_DOUBLE)"),
                            ("MPI_Type_vector(3, 2, 5, T1)", "T1 is a type of a trace", "T1)"),
                            ("MPI_Type_vektor(3)", "no constructor", "MPI_Type_vektor(3)"),
                            ("MPI_Type_dup(MPI_INT", "a comma or the end", ""), ("U1(V:d:3:2)", 'expected is ":"', ")")):
        for verb in (["show", call], ["code", call, "--language", "c"]):
            result = run(*verb)
            expect(result.returncode == 2 and words in result.stderr and not result.stdout, f"{verb}: {result}")
            expect((place_of(result.stderr) or "") == at, f"{verb}: the place is {place_of(result.stderr)!r}, not {at!r}")


def cannot_be_asked():
    for arguments, status, words in ((("code", hand, "T2"), 2, "--language is required"),
                                     (("code", hand, "T2", "--language", "rust"), 2, "rust"),
                                     (("code", hand, "--language", "c"), 2, "a trace and a type"),
                                     (("code", hand, "T99", "--language", "c"), 2, "no type T99"),
                                     (("code", hand, "MPI_INT", "--language", "c"), 2, "predefined"),
                                     (("code", hand / "none", "T1", "--language", "c"), 3, "no such file"),
                                     (("code", "--struct", "particle", hand / "none"), 3, "the file is missing"),
                                     (("code", "--struct", "particle", hand / "rank-0.jsonl"), 3, "not an ELF file"),
                                     (("code", "MPI_Type_dup(MPI_2REAL)", "--language", "python"), 2, "mpi4py has no name"),
                                     (("show", hand, "MPI_Type_dup(MPI_INT)"), 2, "without a trace"),
                                     (("show", hand, "T1", "--mpi", "mpich"), 2, "a trace knows its library"),
                                     (("show", "MPI_Type_dup(MPI_INT)", "--mpi", "lam"), 2, "lam")):
        result = run(*arguments)
        one_sentence = result.stderr.startswith("ddtscope: ") and result.stderr.count("\n") == 1
        expect(result.returncode == status and words in result.stderr and one_sentence and not result.stdout, f"{arguments}: {result}")


for part in (golden, hostile, libraries, written_down, cannot_be_asked):
    part()
finish()

"""Programs that say themselves where their variables are (observer.c), built in some way, and traces of what they say."""
import json
import os
import subprocess

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "../../.."))
golden = os.path.join(root, "reporters/trace/testdata/v8/communicators_mpich/rank-0.jsonl")
# Names of the same variables in the frames around the one that is observed.
ALSO = {"x": "given", "this->values_": "field.values_", "this->owned_": "field.owned_", "a": "heap", "b": "heap", "matrix": "m", "long": "x",
        "kept": "a", "plane": "b"}


class NotBuilt(Exception):
    """A compiler, or a program that it made, failed."""


def run(*words, **more):
    return subprocess.run(list(words), capture_output=True, text=True, timeout=120, **more)


def names_of(name):
    return [name, ALSO.get(name, name)]


def built(compiler, source, flags, folder):
    """The program's path; NotBuilt where there is none."""
    program = os.path.join(folder, "program")
    observer = os.path.join(folder, "observer.o")
    done = run("gcc", "-O1", "-I", root, "-c", os.path.join(here, "observer.c"), "-o", observer)
    if done.returncode == 0:
        done = run(compiler, *flags, "-I", root, os.path.join(here, source), observer, "-o", program, "-lunwind", cwd=folder)
    if done.returncode != 0:
        raise NotBuilt(f"{compiler} {flags}: {done.stderr[-2000:]}")
    return program


def observed(program):
    """(lines of a trace, [(marked name, type, elements)]): what the program says."""
    ran = run(program)
    if ran.returncode != 0:
        raise NotBuilt(f"{program}: {ran.returncode} {ran.stderr}")
    return ran.stdout.strip().splitlines(), [line.split() for line in ran.stderr.splitlines()]


def write_trace(program, lines, folder):
    with open(golden) as file:
        header = json.loads(file.readline())
    header.update(version=9, sources=True, uses=True, program=program, size=1, job="places")
    end = {"record": "end", "complete": True, "reason": "MPI_Finalize", "ended": header["started"], "without_facts": 0, "unrecorded": []}
    module = {"record": "module", "id": 0, "path": program, "build_id": None}
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "rank-0.jsonl"), "w") as file:
        file.write("\n".join([json.dumps(header), json.dumps(module), *lines, json.dumps(end)]) + "\n")


def told_of(check):
    """What a check (JSON) tells of buffers."""
    return [finding["message"] for finding in check["findings"] if finding["id"] in ("source-type", "buffer-too-small")]


def answers_one_by_one(ddtscope, program, folder):
    """For each buffer that the program observed: (marked name, type, kind of place, what `check` tells of it alone,
    whether it takes it for a variable)."""
    lines, named = observed(program)
    frames = [line for line in lines if line.startswith('{"record":"frames"')]
    buffers = [json.loads(line) for line in lines if line.startswith('{"record":"buffer"')]
    trace = os.path.join(folder, "alone")
    for (name, kind, _), buffer in zip(named, buffers):
        place = next((place for place in ("static", "thread", "stack", "heap") if place in buffer), "none")
        buffer["id"] = 0
        write_trace(program, [*frames, json.dumps(buffer)], trace)
        check = run(ddtscope, "check", "--json", trace)
        if check.returncode not in (0, 1):
            raise NotBuilt(f"{program}: check {name}: {check.returncode} {check.stderr[-500:]}")
        answer = json.loads(check.stdout)
        yield name, kind, place, told_of(answer), answer["buffers"]["known"] == 1

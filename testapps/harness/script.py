"""What the scripts of tests have in common: their arguments, as add_script gives them (tests.cmake), the environment of
the jobs that they run, and what failed.

A script in another folder says where this is before it imports it:

    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
"""
import argparse
import functools
import json
import os
import re
import shutil
import subprocess

SET_BY_TESTS = {"OMPI_MCA_memory", "PMIX_MCA_gds", "DDTSCOPE_COMMAND"}  # for sanitizers, in tests.cmake
PRODUCTS = {"openmpi": "Open MPI", "mpich": "MPICH", "mpi_abi": "the standard ABI of MPI-5"}  # as libraries.def has them

failures = []
IS_EMULATED = "DDTSCOPE_EMULATED" in os.environ  # the processor, for each program by itself (ci/emulated)
PATIENCE = int(os.environ.get("DDTSCOPE_TEST_PATIENCE", "1"))


class PatientProcess(subprocess.Popen):
    """Scripts say how long they wait for a process, on a processor of its own kind. Under an emulator all of them wait
    longer."""

    def communicate(self, input=None, timeout=None):  # pylint: disable=redefined-builtin
        return super().communicate(input, timeout and timeout * PATIENCE)

    def wait(self, timeout=None):
        return super().wait(timeout and timeout * PATIENCE)


if PATIENCE != 1:
    subprocess.Popen = PatientProcess  # by which run() and check_output() start theirs, too


def fail(*what):
    """The last one is what happened; those before it say where."""
    failures.append(": ".join(what))
    print("FAIL:", failures[-1])


def library_of(options, folder):
    """What the MPI library of a trace says of its version, whether the job has ended or not; nothing where there is no trace."""
    read = subprocess.run([options.ddtscope, "summary", folder, "--json"], capture_output=True, text=True, check=False)
    return json.loads(read.stdout)["library"]["version"] if read.stdout else ""


def outcome():
    """Says it; the status of the script."""
    print("failed" if failures else "passed")
    return 1 if failures else 0


def parser(description):
    """Of arguments that every script gets. `plugin`, `library` and `launcher` are those of one MPI library; None in a
    test without MPI."""
    common = argparse.ArgumentParser(description=description)
    common.add_argument("--library", choices=[name for name in PRODUCTS if name != "mpi_abi"], help="whose it is")
    common.add_argument("--abi", choices=list(PRODUCTS), help="what the program is linked with")
    common.add_argument("--launcher", help="mpirun of that library")
    common.add_argument("--plugin")
    common.add_argument("--ddtscope", required=True, help="the command")
    common.add_argument("--work", required=True, help="folder of this test's own; emptied first")
    common.add_argument("program")
    return common


def options_of(parser_of_script):
    options = parser_of_script.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    return options


@functools.cache
def mpi_environment():
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "ci", "mpi_environment")
    lines = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines)


def base_environment():
    """This process's, without what another job or ddtscope has put there, and with what MPI needs in tests. Functions and
    lines are not looked up at the end of each job: run_case.py and run_symbols_at_end.py ask for it."""
    env = {k: v for k, v in os.environ.items()
           if k in SET_BY_TESTS or not k.startswith(("DDTSCOPE_", "OMPI_", "PMI", "PRTE_"))}
    env.update(mpi_environment())
    env["LC_ALL"] = "C"
    env["DDTSCOPE_SYMBOLS"] = "off"
    return env


def shell_script(folder, name, text):
    """A command of the test's own; its path."""
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as out:
        out.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)
    return path


def may_lack_windows(program, environment):
    """Whether a program has said that it got no window, and ci/mpi_environment names no component that has them."""
    return "without windows" in program.stdout and "OMPI_MCA_osc" not in environment


def status_of(result):
    """What the program ended with. MPICH's launcher says 1 in place of what MPI_Abort was given, once in 13 times."""
    aborted = re.search(r"application called MPI_Abort\(MPI_COMM_WORLD, (\d+)\)", result.stderr)
    return int(aborted.group(1)) if aborted and result.returncode != 0 else result.returncode


def output_of(result):
    """What the program itself printed. MPICH's launcher adds its banner to that of one that aborts, once in 30 times."""
    return re.sub(r"\n?=+\n=   BAD TERMINATION .*", "", result.stdout, flags=re.DOTALL)


def expect_same(result, native, what):
    """A program that says the same each time: it must not notice what is preloaded."""
    if (status_of(result), output_of(result)) != (status_of(native), output_of(native)):
        fail(f"{what}: the program ends with {status_of(result)}, natively {status_of(native)}: {result.stderr[:600]}")

#!/usr/bin/env python3
"""Installs the build and uses it as its users do: the command, the plugins in small jobs, the C API's library and the
debuggers' parts. What is installed is small, and lacks nothing that is needed at run time.

    run_installation.py --build FOLDER --cmake CMAKE --work FOLDER [--largest BYTES --largest-plugin BYTES] [--gdb GDB]
                        [--job LIBRARY LAUNCHER PROGRAM]...
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
from script import base_environment  # noqa: E402

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def run(*command, status=0, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                            stdin=subprocess.DEVNULL, timeout=200, **options)
    if result.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}\nended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def sections(path):
    return set(re.findall(r"^ *\[ *\d+\] (\.\S+)", run("readelf", "-SW", path), re.M))


def exported(path):
    return sorted(line.split()[-1] for line in run("nm", "-D", "--defined-only", path).splitlines())


def plugins_in(prefix):
    return sorted(prefix.rglob("libddtscope-*.so"))


def check_files(prefix, options):
    files = [path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()]
    total = sum(path.stat().st_size for path in files)
    print(f"{len(files)} files of {total:,} bytes")
    if not options.largest:
        return
    plugins = plugins_in(prefix)
    others = [path for path in files if path not in plugins]
    for most, some in [(options.largest, others), *((options.largest_plugin, [plugin]) for plugin in plugins)]:
        total = sum(path.stat().st_size for path in some)
        expect(total <= most, f"{total:,} bytes are installed, more than {most:,}:\n" + "\n".join(
            f"{path.stat().st_size:12,} {path.relative_to(prefix)}" for path in sorted(some, key=lambda p: -p.stat().st_size)[:10]))
    built = {path.name: path for folder in ("bin", "lib") for path in (options.build / folder).iterdir()}
    binaries = [path for path in files if is_elf(path)]
    expect(len(binaries) >= 3 + len(options.job), f"command and libraries are there: {binaries}")
    for path in binaries:
        there, before = sections(path), sections(built[path.name])
        expect(not [name for name in there if name == ".symtab" or name.startswith(".debug")],
               f"{path.name} is not stripped: {sorted(there)}")
        # What the process maps stays: code, unwind tables, names that others bind to.
        lost = {name for name in before - there if not re.match(r"\.(symtab|strtab|debug.*|gnu_debug.*|comment)$", name)}
        expect(not lost and ".eh_frame" in there, f"{path.name} lacks {sorted(lost)}")
        expect(exported(path) == exported(built[path.name]), f"{path.name} exports what it did")


def check_job(prefix, options, library, launcher, program):
    trace = options.work / f"trace-{library}"
    command = prefix / "bin" / "ddtscope"
    run(launcher, "-n", 2, command, "exec", "-o", trace, "--", program, env=base_environment(), cwd=options.work)
    types = json.loads(run(command, "types", trace, "--json"))
    made = {t["combiner"]: sum(int(i["created"]) for i in t["instances"]) for t in types}
    expect(made == {"MPI_COMBINER_VECTOR": 100, "MPI_COMBINER_STRUCT": 2, "MPI_COMBINER_INDEXED": 2,
                    "MPI_COMBINER_SUBARRAY": 2}, f"{library}: {made}")
    for t in types:
        site = t["instances"][0]["call_site"]
        expect(site and str(site[0]["file"]).endswith("demo_halo.c"), f"{library}: {t['id']} was made at {site}")
    run(command, "show", trace, "upper triangle")
    expect('"probe"' in run(command, "check", trace), f"{library}: check does not tell what was never freed")


def check_gdb(prefix, options, program):
    answer = subprocess.run(
        [prefix / "bin" / "ddtscope", "gdb", "-nx", "-batch", "-ex", "set breakpoint pending on", "-ex",
         "set debuginfod enabled off", "-ex", "break MPI_Finalize", "-ex", "run", "-ex", "mpitype list", "--", program],
        capture_output=True, text=True, errors="replace", timeout=200, stdin=subprocess.DEVNULL, cwd=options.work,
        env={**base_environment(), "DDTSCOPE_OUTPUT": str(options.work / "trace-gdb")})
    expect("MPI_Type_create_struct(3, {5, 1, 1}" in answer.stdout, f"gdb: {answer.stdout}{answer.stderr}")


def check_gdb_alone(prefix, options, library, program):
    """gdb loads the script with the plugin, by the path where that is installed; under another prefix than its own it is
    told where scripts are."""
    folder = prefix / "share" / "gdb" / "auto-load"
    scripts = sorted(str(path.relative_to(folder)) for path in folder.rglob("*-gdb.py"))
    plugins = plugins_in(prefix)
    expect(scripts == [str(plugin)[1:] + "-gdb.py" for plugin in plugins], f"{scripts} are the scripts of {plugins}")
    plugin = next(plugin for plugin in plugins if plugin.name == f"libddtscope-{library}.so")
    words = [f"add-auto-load-scripts-directory {folder}", f"add-auto-load-safe-path {prefix}", "set breakpoint pending on",
             "set debuginfod enabled off", f"set environment LD_PRELOAD {plugin}", "break MPI_Finalize", "run", "mpitype list"]
    answer = subprocess.run([options.gdb, "-nx", "-batch", *(word for text in words for word in ("-ex", text)), program],
                            capture_output=True, text=True, errors="replace", timeout=200, stdin=subprocess.DEVNULL, cwd=options.work,
                            env={**base_environment(), "DDTSCOPE_OUTPUT": str(options.work / "trace-gdb-alone")})
    expect("MPI_Type_create_struct(3, {5, 1, 1}" in answer.stdout, f"gdb alone: {answer.stdout}{answer.stderr}")


def check_texts(prefix):
    """What is read beside the programs."""
    for name in ("LICENSE", "bnf.md", "bounds.md", "FORMAT.md", "DEBUGGER.md"):
        expect((prefix / "share" / "ddtscope" / name).is_file(), f"{name} is installed")
    pages = {page.name for page in (prefix / "share" / "man" / "man1").iterdir()}
    expect({"ddtscope.1", "ddtscope-show.1", "ddtscope-exec.1"} <= pages, f"man pages are installed: {pages}")
    for shell in ("bash-completion/completions/ddtscope", "zsh/site-functions/_ddtscope", "fish/vendor_completions.d/ddtscope.fish"):
        expect((prefix / "share" / shell).is_file(), f"{shell} is installed")


def check_c_api(prefix):
    found = list(prefix.rglob("libddtscope.so"))
    expect(len(found) == 1, f"libddtscope.so is there once: {found}")
    library = ctypes.CDLL(str(found[0]))
    context = ctypes.c_void_p()
    expect(library.ddtscope_context_create(ctypes.byref(context)) == 0 and context, "a context of the C API")
    expect(library.ddtscope_context_free(ctypes.byref(context)) == 0, "the context's end")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, type=pathlib.Path)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder of this test's own; emptied first")
    parser.add_argument("--largest", type=int, help="bytes that all files but plugins may have; without it nothing is to be stripped")
    parser.add_argument("--largest-plugin", type=int, help="bytes that a plugin may have")
    parser.add_argument("--gdb", help="where gdb with Python is")
    parser.add_argument("--job", nargs=3, action="append", default=[], metavar=("LIBRARY", "LAUNCHER", "PROGRAM"))
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)

    first, prefix = options.work / "first", options.work / "prefix"
    run(options.cmake, "--install", options.build, "--prefix", first)
    if options.gdb and options.job:
        check_gdb_alone(first, options, options.job[0][0], options.job[0][2])
    first.rename(prefix)  # an installation may be moved
    check_files(prefix, options)
    check_texts(prefix)
    for library, launcher, program in options.job:
        check_job(prefix, options, library, launcher, program)
    if options.gdb and options.job:
        check_gdb(prefix, options, options.job[0][2])
    check_c_api(prefix)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())

#!/usr/bin/env python3
"""Installs libddtscope into a folder of its own and uses it as somebody else would: by pkg-config, by CMake's
find_package, moved to another place, and with the examples of the header and of the README."""
import argparse
import os
import re
import shutil
import subprocess
import sys


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def expect(condition, message):
    if not condition:
        sys.exit("not so: " + message)


def example_of_header(header):
    """The program in the opening comment, and the line that the comment says it prints."""
    text = open(header).read()
    comment = text[:text.index("*/")]
    lines = [line[7:] for line in comment.splitlines() if line.startswith(" *     ") or line == " *"]
    program = "\n".join(lines)
    printed = re.search(r'prints "([^"]*)"', comment).group(1)
    return program[program.index("#include"):], printed


def example_of_readme(readme):
    """The first C program of the section "C API", and the block that follows it."""
    section = open(readme).read().split("\n## C API\n", 1)[1]
    program, printed = re.search(r"```c\n(.*?)```.*?```\n(.*?)```", section, re.S).groups()
    return program, printed.strip()


def commands_of_readme(readme):
    """How the section "C API" compiles and runs the program tool.c: without where pkg-config is to look."""
    section = open(readme).read().split("\n## C API\n", 1)[1]
    commands = re.search(r"```\nexport PKG_CONFIG_PATH=\S+\n(cc .*?)```", section, re.S).group(1)
    return commands.replace("cc ", "$CC ", 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", required=True, help="the project's root")
    parser.add_argument("--build", required=True)
    parser.add_argument("--work", required=True, help="folder of this test's own; emptied first")
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--cxx", required=True)
    parser.add_argument("--sanitize", default="", help="the build's own flags, semicolons between")
    parser.add_argument("--version", required=True)
    args = parser.parse_args()

    shutil.rmtree(args.work, ignore_errors=True)
    first = os.path.join(args.work, "first")
    run(args.cmake, "--install", args.build, "--prefix", first, "--component", "development")
    # An installation may be moved.
    prefix = os.path.join(args.work, "prefix")
    os.rename(first, prefix)
    header = os.path.join(prefix, "include", "ddtscope.h")
    packages = [os.path.join(folder) for folder, _, files in os.walk(prefix) if "ddtscope.pc" in files]
    expect(len(packages) == 1, "one ddtscope.pc is installed")
    libdir = os.path.dirname(packages[0])
    library = os.path.join(libdir, "libddtscope.so")

    names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    expect(names and all(name.startswith("ddtscope_") for name in names),
           "only ddtscope_ symbols are exported: " + " ".join(n for n in names if not n.startswith("ddtscope_")))
    declared = set(re.findall(r"DDTSCOPE_API[^;(]*?\b(ddtscope_\w+)\(", open(header).read()))
    expect(declared == set(names), f"declared and exported functions are the same: {sorted(declared ^ set(names))}")

    env = dict(os.environ, PKG_CONFIG_PATH=packages[0], PKG_CONFIG_ALLOW_SYSTEM_CFLAGS="1",
               ASAN_OPTIONS="detect_leaks=1")
    expect(run("pkg-config", "--modversion", "ddtscope", env=env).strip() == args.version, "pkg-config's version")
    flags = run("pkg-config", "--cflags", "--libs", "ddtscope", env=env).split()
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
    sanitize = [flag for flag in args.sanitize.split(";") if flag]

    def build_and_run(source, output):
        run(args.cc, *strict, *sanitize, source, "-o", output, *flags, "-Wl,-rpath," + libdir, env=env)
        return run(output, env=env)

    def example(name, program):
        source = os.path.join(args.work, name + ".c")
        with open(source, "w") as out:
            out.write(program)
        return build_and_run(source, os.path.join(args.work, name)).strip()

    here = os.path.dirname(os.path.abspath(__file__))
    printed = build_and_run(os.path.join(here, "c_api.c"), os.path.join(args.work, "by_pkg_config"))
    for line in ["MPI-4.1: extent 24", "Open MPI 6.0.0rc2: extent 24", "MPICH 5.0.2: extent 20",
                 "ddtscope_type_contiguous: count (-4) is negative", "version " + args.version]:
        expect(line in printed.splitlines(), f"{line!r} is printed")
    expect(any(line.startswith("warning: entries-overlap: ") for line in printed.splitlines()),
           "a finding is printed")

    program, expected = example_of_header(header)
    expect(example("header_example", program) == expected, "the header's example prints " + expected)
    program, expected = example_of_readme(os.path.join(args.source, "README.md"))
    actual = example("readme_example", program)
    expect(actual == expected, f"the README's example prints\n{expected}\nand not\n{actual}")

    with open(os.path.join(args.work, "tool.c"), "w") as out:
        out.write(program)
    env_of_readme = dict(env, CC=" ".join([args.cc, *sanitize]))
    env_of_readme.pop("LD_LIBRARY_PATH", None)
    actual = run("sh", "-e", "-c", commands_of_readme(os.path.join(args.source, "README.md")), cwd=args.work,
                 env=env_of_readme).strip()
    expect(actual == expected, f"what the README's commands build prints\n{expected}\nand not\n{actual}")

    # Both public headers in other languages and without anything before them.
    for public in ["ddtscope.h", "ddtscope_plugin.h"]:
        path = os.path.join(prefix, "include", public)
        run(args.cc, *strict, "-fsyntax-only", "-x", "c", path)
        run(args.cxx, "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-x", "c++", path)

    consumer = os.path.join(args.work, "consumer")
    run(args.cmake, "-S", here, "-B", consumer, "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_C_COMPILER=" + args.cc,
        "-DCMAKE_C_FLAGS=" + " ".join(sanitize))
    run(args.cmake, "--build", consumer)
    expect(run(os.path.join(consumer, "c_api"), env=env) == printed, "the same by find_package")


if __name__ == "__main__":
    main()

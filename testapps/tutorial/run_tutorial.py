#!/usr/bin/env python3
"""Does what the tutorial says, as it says it, and holds what is printed against the page: a line of "..." stands for any
lines.

    run_tutorial.py --cc MPICC <what add_script gives> PAGE     PAGE beside its program
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))
import script  # noqa: E402


def commands_of(page):
    """(command, what is printed) of the page's blocks."""
    for block in re.findall(r"^```\n(\$ .*?)^```$", page, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def is_like(printed, wanted):
    pattern = "".join(r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + r" *\n" for line in wanted.splitlines())
    return re.fullmatch(pattern, printed) is not None


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--cc", required=True)
    options = script.options_of(parser)
    work, page = pathlib.Path(options.work), pathlib.Path(options.program)
    programs = work / "bin"
    programs.mkdir()
    for name, command in {"mpicc": options.cc, "mpirun": options.launcher, "ddtscope": options.ddtscope}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        (programs / name).chmod(0o755)
    shutil.copy(page.parent / "halo.c", work)
    environment = {**script.base_environment(), "PATH": f"{programs}:{os.environ['PATH']}"}
    text = page.read_text(encoding="utf-8")
    count = 0
    for command, wanted in commands_of(text):
        count += 1
        result = subprocess.run(["bash", "-c", command], cwd=work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                stdin=subprocess.DEVNULL, text=True, timeout=200)
        if not is_like(result.stdout, wanted):
            script.fail(command, f"prints\n{result.stdout}and not\n{wanted}")
    if count < 8:
        script.fail(f"{count} commands were found in {page.name}")
    source = (page.parent / "halo.c").read_text(encoding="utf-8")
    for block in re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S):
        if block not in source:
            script.fail("the page's C is not the program's", block)
    return script.outcome()


sys.exit(main())

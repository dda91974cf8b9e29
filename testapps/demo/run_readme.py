#!/usr/bin/env python3
"""The README's samples of what the demo's program gives: each command is run, and prints what stands there. A line of
three dots stands for any lines."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
from script import base_environment, fail, options_of, outcome, parser  # noqa: E402

# Commands about this program's traces; others have figures in their answers, or start a debugger.
SUBJECTS = ["summary halo", "show halo", "diff two four"]


def samples(readme):
    """(command, lines) of each `$ ...` in the README's blocks."""
    with open(readme, encoding="utf-8") as text:
        blocks = re.findall(r"^```\n(.*?)^```$", text.read(), re.MULTILINE | re.DOTALL)
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed.rstrip("\n").split("\n")


def is_like(sample, printed):
    """Whether the lines are those of the sample."""
    if not sample:
        return not printed
    if sample[0].strip() == "...":
        return any(is_like(sample[1:], printed[skipped:]) for skipped in range(len(printed) + 1))
    return bool(printed) and sample[0] == printed[0] and is_like(sample[1:], printed[1:])


def run(command, folder, env):
    result = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True, check=False, timeout=300)
    if result.returncode not in (0, 1):
        fail(" ".join(command), f"ended with {result.returncode}: {result.stdout}")
    return result.stdout


def main():
    script = parser(__doc__)
    script.add_argument("--readme", required=True)
    options = options_of(script)
    env = base_environment()
    del env["DDTSCOPE_SYMBOLS"]
    for trace, ranks in (("halo", 4), ("two", 2), ("four", 4)):
        run([options.launcher, "-n", str(ranks), options.ddtscope, "exec", "--quiet", "-o", trace, "--", options.program],
            options.work, env)
    checked = {subject: 0 for subject in SUBJECTS}
    for command, sample in samples(options.readme):
        words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
        subject = next((s for s in SUBJECTS if words[:1] == ["ddtscope"] and words[1:len(s.split()) + 1] == s.split()), None)
        if subject is None:
            continue
        checked[subject] += 1
        while sample and not sample[-1]:
            sample.pop()
        printed = run([options.ddtscope] + words[1:], options.work, env).rstrip("\n").split("\n")
        if not is_like(sample, printed) and not is_like(sample + ["..."], printed):
            fail(command, "prints\n" + "\n".join(printed) + "\nand not\n" + "\n".join(sample))
    for subject, times in checked.items():
        if times == 0:
            fail(f"no sample of `ddtscope {subject}`")
    return outcome()


sys.exit(main())

"""A program whose signal handler ends it while it calls MPI: it ends, with the plugin as without it."""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

SECONDS = 30  # to end in; it takes a fraction of one


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    args = script.options_of(parser)
    numbers = random.Random(args.seed)
    env = base_environment()
    env.update(DDTSCOPE_MERGE="off", DDTSCOPE_SYMBOLS="off", DDTSCOPE_QUIET="1")
    for i in range(args.runs):
        program = [args.program, str(numbers.randrange(20000, 30000))]
        for how, command in (("natively", program),
                             ("with the plugin", [args.ddtscope, "exec", "-o", os.path.join(args.work, str(i)), "--", *program])):
            if how == "natively" and i > 0:
                continue
            try:
                status = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS).returncode
            except subprocess.TimeoutExpired:
                status = None
            if status != 3:
                fail(f"run {i}", f"{how} it {'hangs' if status is None else f'ends with {status}'}, in place of 3")
    return script.outcome()


sys.exit(main())

#!/usr/bin/env python3
"""A program among whose libraries is another libunwind than the plugin was built beside: nothing happens to the
program, the call sites are the same (or their innermost frame alone, where nothing but it could find the others), and
what cannot be had is said in one line.

VARIANTS holds a folder for each, with a libunwind.so.8 in it (other_libunwind.c)."""
import json
import os
import platform
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script  # noqa: E402
from script import base_environment, expect_same, fail, failures  # noqa: E402

# What stderr says of each; an empty pattern: nothing.
VARIANTS = {
    "OTHER_LAYOUT": "",
    "IN_THE_CALL": "",
    "WITHOUT_BACKTRACE": r"libunwind\.so\.8 with unw_backtrace could not be opened",
    "NONSENSE": r"libunwind\.so\.8 does not unwind a stack that is known",
    "NOTHING": r"libunwind\.so\.8 does not unwind a stack that is known",
    "BEYOND": r"libunwind\.so\.8 does not unwind a stack that is known",
    "NO_LIBRARY": r"libunwind\.so\.8 with unw_backtrace could not be opened",
}
# Whether frames are found without it, too.
HAS_RULES = platform.machine() == "x86_64"


def main():
    parser = script.parser(__doc__)
    parser.add_argument("--variants", required=True, help="folder of the other libunwinds")
    args = script.options_of(parser)
    no_library = os.path.join(args.work, "NO_LIBRARY")
    os.makedirs(no_library)
    with open(os.path.join(no_library, "libunwind.so.8"), "w") as file:
        file.write("no library\n")

    def run(folder=None, preload="", is_portable=False):
        env = base_environment()
        if preload:
            trace = os.path.join(args.work, f"trace-{os.path.basename(folder or 'own')}-{int(is_portable)}")
            env.update(LD_PRELOAD=preload, DDTSCOPE_OUTPUT=trace, DDTSCOPE_QUIET="")
        if folder:
            env["DDTSCOPE_PORTABLE"] = str(int(is_portable))
            env["LD_LIBRARY_PATH"] = ":".join(filter(None, [folder, env.get("LD_LIBRARY_PATH")]))
        result = subprocess.run([args.program], env=env, capture_output=True, text=True, timeout=60)
        if not preload:
            return result, None
        types = json.loads(subprocess.run([args.ddtscope, "types", "--json", trace], check=True, stdout=subprocess.PIPE,
                                          text=True).stdout)
        # The functions, up to main: what lies below is the C library's.
        sites = []
        for instance in (i for d in types for i in d["instances"]):
            functions = [frame["function"] for frame in instance["call_site"]]
            sites.append((instance["created"], functions[:functions.index("main") + 1] if "main" in functions else functions))
        return result, sorted(sites, key=str)

    native, _ = run()
    _, expected = run(preload=args.plugin)
    if not any("main" in functions for _, functions in expected):
        fail(f"with the system's libunwind the call sites are {expected}")
    alone = {}
    for created, functions in expected:
        alone[functions[0]] = alone.get(functions[0], 0) + created
    alone = sorted(((created, [function]) for function, created in alone.items()), key=str)
    for variant, pattern in VARIANTS.items():
        folder = no_library if variant == "NO_LIBRARY" else os.path.join(args.variants, variant)
        for is_portable in (False, True):  # True: its word alone counts
            fault = variant + (" alone" if is_portable else "")
            result, sites = run(folder, args.plugin, is_portable)
            expect_same(result, native, fault)
            should_be = alone if pattern and (is_portable or not HAS_RULES) else expected
            if sites != should_be:
                fail(f"{fault}: the call sites are {sites}, should be {should_be}")
            said = [line for line in result.stderr.splitlines() if re.search(r"libunwind\.so|call sites", line)]
            if len(said) != (1 if pattern else 0) or (pattern and not re.search(pattern, said[0])):
                fail(f"{fault}: stderr says {said}, should be {pattern!r}")
            innermost = "call sites are their innermost frame alone"
            if pattern and (innermost in said[0]) != (should_be == alone):
                fail(f"{fault}: stderr says {said}, but the call sites are {sites}")
    print(f"{len(VARIANTS)} libraries tried")
    return 1 if failures else 0


sys.exit(main())

#!/usr/bin/env python3
"""gdb and lldb on processes and cores that run under the plugin: what is printed is right, is what `ddtscope` prints of
the trace, and what is bad gets one sentence. No function of the program may be called throughout.

A group is the file of that name beside this one; each of its functions check_... is run.
"""
import importlib
import subprocess
import sys

from harness import failures, options

group = importlib.import_module(options.group)
checks = [check for name, check in vars(group).items()
          if name.startswith("check_") and check.__module__ == options.group and name in (options.only or [name])]
if not checks:
    sys.exit(f"there is no such check in {options.group}")
for check in checks:
    try:
        check()
    except subprocess.TimeoutExpired as expired:
        failures.append(f"{check.__name__}: {expired}")
print("\n\n".join(failures) if failures else f"{len(checks)} checks passed")
sys.exit(1 if failures else 0)

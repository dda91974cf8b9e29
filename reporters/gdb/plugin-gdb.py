"""gdb loads this with the plugin: it makes `mpitype` known."""
import os
import sys

import gdb


def load():
    # Beside the plugin: PREFIX/lib[/...]/libddtscope-*.so and PREFIX/share/ddtscope/debugger.
    folder = os.path.dirname(os.path.realpath(gdb.current_objfile().filename))
    while folder != os.path.dirname(folder):
        scripts = os.path.join(folder, "share", "ddtscope", "debugger")
        if os.path.exists(os.path.join(scripts, "mpitype_gdb.py")):
            sys.path.insert(0, scripts)
            import mpitype_gdb  # noqa: F401
            return
        folder = os.path.dirname(folder)


load()

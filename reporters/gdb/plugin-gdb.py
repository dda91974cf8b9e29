"""gdb loads this with the plugin: it makes `mpitype` known."""
import os

import gdb


def load():
    # Beside the plugin: PREFIX/lib[/...]/libddtscope-*.so and PREFIX/share/ddtscope/debugger.
    folder = os.path.dirname(os.path.realpath(gdb.current_objfile().filename))
    while folder != os.path.dirname(folder):
        script = os.path.join(folder, "share", "ddtscope", "debugger", "mpitype_gdb.py")
        if os.path.exists(script):
            gdb.execute(f"source {script}", to_string=True)
            return
        folder = os.path.dirname(folder)


load()

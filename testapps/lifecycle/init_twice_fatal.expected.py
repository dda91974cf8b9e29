"""As init_twice, under the default error handler."""
import os
import runpy


def expect(e):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "init_twice.expected.py")
    runpy.run_path(path)["expect"](e, returns=False)

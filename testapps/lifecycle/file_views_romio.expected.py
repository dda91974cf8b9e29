"""As file_views, with Open MPI's other implementation of MPI-IO, which makes its types by calls of PMPI_ names."""
import os
import runpy


def expect(e):
    runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "file_views.expected.py"))["expect"](e)

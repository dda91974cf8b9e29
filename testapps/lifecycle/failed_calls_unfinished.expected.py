"""As failed_calls, in a job that does not come to its end: all that was up to then is told."""
import os
import runpy


def expect(e):
    runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "failed_calls.expected.py"))["expect"](e)
    e.complete = False
    e.summary_contains = ["Failed calls: 1,012 calls returned an error"]

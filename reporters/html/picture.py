"""Takes the README's picture of a report anew, of a trace of testapps/demo/demo_halo.c on four ranks:

    picture.py DDTSCOPE TRACE report.png
"""
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser

command, trace, picture = sys.argv[1:]
with tempfile.TemporaryDirectory() as name, Browser() as browser:
    page = pathlib.Path(name) / "report.html"
    subprocess.run([command, "report", trace, "-o", page], check=True)
    browser.resize(1280, 900)
    browser.prefer("light")
    browser.open(page, "#T1")
    browser.ask("document.getElementById('types').scrollIntoView()")
    browser.picture(picture)
    if browser.complaints:
        sys.exit(f"the console says {browser.complaints}")

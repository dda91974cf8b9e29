#!/usr/bin/env python3
"""ci/matrix over roots that are played: whose rows it writes, and what it tells."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BEGIN, END = "<!-- Written by ci/matrix. -->", "<!-- End of what ci/matrix writes. -->"
OWN = subprocess.run(["dpkg", "--print-architecture"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
ROWS = f"""| Debian | gcc | `ci/demo` | `ci/test` | commit |
| --- | --- | --- | --- | --- |
| trixie, {OWN} | 14.2.0 | passed, 4 min | 1049 passed, 41 min | eddd013, 2026-11-22 |
| forky, {OWN} | 16.2.0 | passed, 14 min | 1839 passed, 80 min | 1d2f65e, 2026-11-22 |
"""
# In place of ci/fresh-root: the command, here, with no version to be asked.
PLAYED_ROOT = """#!/bin/bash
cd "$(dirname "$0")/.."
echo "$*" >fresh-root.words
while getopts a:k:x _; do :; done
PATH=$PATH_INSIDE exec "${@:OPTIND + 1}"
"""


class Matrix(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        (self.folder / "ci").mkdir()
        for name in ("matrix", "fresh-root"):
            shutil.copy(os.path.join(HERE, name), self.folder / "ci")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for tool in ("awk", "bash", "cat", "dirname", "dpkg", "env", "git", "sed"):
            os.symlink(shutil.which(tool), self.bin / tool)
        self.script("bin/id", "echo 0")
        self.readme = self.folder / "README.md"
        self.readme.write_text(f"before\n{BEGIN}\n{ROWS}\nEach in a fresh minimal installation.\n{END}\nbehind\n")
        for words in (["init", "-q"], ["add", "README.md"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"]):
            subprocess.run(["git", "-C", self.folder, *words], check=True)

    def script(self, name, text):
        (self.folder / name).write_text(f"#!{shutil.which('bash')}\n{text}\n")
        (self.folder / name).chmod(0o755)

    def matrix(self, *words):
        return subprocess.run([sys.executable, "-B", self.folder / "ci" / "matrix", "--readme", *words], capture_output=True, text=True,
                              check=False, env={"PATH": str(self.bin), "PATH_INSIDE": os.environ["PATH"],
                                                "DDTSCOPE_ROOTS": str(self.folder / "roots"), "DDTSCOPE_MIRROR": "file:/nowhere"})

    def rows(self):
        return [line for line in self.readme.read_text().splitlines() if line.startswith("| ")][2:]

    def test_a_suite_without_a_root_keeps_its_row_and_the_reason_is_told(self):
        before = self.readme.read_text()
        done = self.matrix(f"trixie:{OWN}", f"bookworm:{OWN}")
        self.assertEqual(done.returncode, 1)
        for suite in ("trixie", "bookworm"):
            self.assertIn(f"ci/matrix: {suite}, {OWN} was not run, its row stays as it is: no root could be made.\n"
                          "ci/fresh-root: debootstrap is missing (apt-get install debootstrap)\n", done.stderr)
        self.assertEqual([row.split(" | ")[0] for row in self.rows()], [f"| trixie, {OWN}", f"| forky, {OWN}"])
        for row in before.splitlines()[4:6]:  # all that was known, whatever columns there are now
            self.assertTrue(any(set(row.split(" | ")) <= set(now.split(" | ")) for now in self.rows()), self.rows())

    def test_a_debootstrap_that_fails_is_told_by_its_own_words(self):
        self.script("bin/debootstrap", "echo 'E: no network here'; exit 1")
        for tool in ("rm", "mkdir", "tail"):
            os.symlink(shutil.which(tool), self.bin / tool)
        done = self.matrix(f"trixie:{OWN}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: no network here\nci/fresh-root: no root of trixie\n", done.stderr)
        self.assertIn("1049 passed, 41 min", self.readme.read_text())

    def test_a_suite_that_ran_has_its_row_written_anew(self):
        (self.folder / "ci" / "fresh-root").write_text(PLAYED_ROOT)
        self.script("ci/demo", "exit 0")
        self.script("ci/test", "echo '1100 passed, 0 failed'; exit 0")
        done = self.matrix(f"trixie:{OWN}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(" | passed, 0 min | 1100 passed, 0 min | ", self.rows()[0])
        self.assertIn(" | passed, 14 min | 1839 passed, 80 min | ", self.rows()[1])

    def test_a_root_that_is_kept_is_not_taken_for_a_fresh_one(self):
        (self.folder / "ci" / "fresh-root").write_text(PLAYED_ROOT)
        self.script("ci/demo", "exit 0")
        self.script("ci/test", "echo '1100 passed, 0 failed'; exit 0")
        self.matrix("--keep", "look", f"trixie:{OWN}")
        words = (self.folder / "fresh-root.words").read_text()
        self.assertTrue(words.startswith(f"-a {OWN} -k look trixie bash -c "), words)
        (self.folder / "fresh-root.words").unlink()
        (self.folder / "roots" / f"trixie-{OWN}-look").mkdir(parents=True)
        done = self.matrix("--keep", "look", f"trixie:{OWN}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is there already, and no longer fresh", done.stderr)
        self.assertFalse((self.folder / "fresh-root.words").exists())

    def test_another_processor_is_emulated_and_compiled_for_here(self):
        (self.folder / "ci" / "fresh-root").write_text(PLAYED_ROOT)
        self.script("ci/demo", "exit 1")
        self.script("ci/emulated", "echo '700 passed, 2 failed'; exit 1")
        done = self.matrix("bookworm:s390x")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        words = (self.folder / "fresh-root.words").read_text()
        self.assertTrue(words.startswith("-a s390x -x bookworm bash -c "), words)
        self.assertEqual([row.split(" | ")[0] for row in self.rows()], [f"| trixie, {OWN}", f"| forky, {OWN}", "| bookworm, s390x"])
        self.assertIn(" | 700 passed, **2 failed**, 0 min | ", self.rows()[2])
        self.assertIn(" | passed, 4 min | 1049 passed, 41 min | ", self.rows()[0])
        self.matrix(f"trixie:{OWN}")
        self.assertNotIn(" -x ", (self.folder / "fresh-root.words").read_text())


if __name__ == "__main__":
    unittest.main(verbosity=1)

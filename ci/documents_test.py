#!/usr/bin/env python3
"""What ARCHITECTURE.md and CONTRIBUTING.md name is there: files and folders, and words of the sources.

A name is what stands between backticks, without blanks. One with a dot, a slash or a star is a file or a folder, by the end
of its path; all others are words of the sources. In ARCHITECTURE.md's tables of the decoder and the plugin, what stands in
the last column is in the row's room.
"""
import fnmatch
import os
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
THIS = "ci/documents_test.py"
HOUSES = ("decoder", "plugin", "reporters", "testapps", "ci")
# What is made by a build, is installed, is the name of a test, or belongs to others.
ELSEWHERE = re.compile(r"build/|lib.*\.so|MPI_|PMPI_|DDTSCOPE_|mpi\.h$|wrapped_|-W|Py_|(openmpi|mpich|mpi_abi)[-.]\w+\.?\w+$|jq$|symbols\.json$")


def files():
    """All of them but what was built, from the root."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in {".git", "build", "__pycache__", "node_modules"}]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    return sorted(found)


FILES = files()
FOLDERS = {str(parent) for file in FILES for parent in pathlib.PurePath(file).parents} - {"."}


def words_of_sources():
    words = set()
    for file in FILES:
        if file.startswith(HOUSES) and file != THIS and re.search(r"\.(h|c|cpp|def|inc|py|cmake|txt|js|json|mdoc|F90|f90|f)$|/[a-z-]+$", file):
            words.update(re.findall(r"\w+", (ROOT / file).read_text(encoding="utf-8", errors="replace")))
    return words


def names_in(text):
    """What stands between backticks, a line's blocks of commands apart."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\s]+)`", text)


def is_there(name, paths):
    """By its whole path, or by its end, with `<name>` for any; a file without what its name ends in, too."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    return any(fnmatch.fnmatch("/" + path, "*/" + wanted) for path in paths for wanted in (pattern, pattern + ".*"))


class Documents(unittest.TestCase):
    WORDS = words_of_sources()

    def missing(self, names):
        lost = []
        for name in sorted(set(names)):
            if ELSEWHERE.match(name):
                continue
            if re.search(r"[/*]|\.[a-z0-9]+$", name) and re.fullmatch(r"[\w.*/<>-]+", name):
                known = is_there(name, FILES) or is_there(name, FOLDERS)
            else:
                known = all(word in self.WORDS for word in re.findall(r"[A-Za-z_]\w*", name))
            if not known:
                lost.append(name)
        return lost

    def test_what_they_name_is_there(self):
        for document in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
            names = names_in((ROOT / document).read_text(encoding="utf-8"))
            self.assertGreater(len(names), 100, document)
            self.assertEqual(self.missing(names), [], document)

    def test_what_is_not_there_is_missed(self):
        self.assertEqual(self.missing(["decoder/base/no_such_file.h", "no_such_*.cpp", "no_such_word", "no_such_room/<x>.h"]),
                         ["decoder/base/no_such_file.h", "no_such_*.cpp", "no_such_room/<x>.h", "no_such_word"])
        self.assertEqual(self.missing(["decoder/base/exact.h", "findings_of_*.cpp", "TypemapStream", "decoder/base"]), [])

    def test_files_of_rooms_are_in_their_rooms(self):
        text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
        lost, rooms = [], 0
        for house in ("decoder", "plugin"):
            table = text.split(f"\n### {house}\n")[1].split("\n### ")[0]
            for row in re.findall(r"^\| `.*\|$", table, flags=re.MULTILINE):
                columns = row.strip("|").split(" | ")
                inside = [f for f in FILES if any(f.startswith(f"{house}/{room}/") for room in names_in(columns[0]))]
                rooms += 1
                self.assertTrue(inside, row)
                # Tables of others are named in passing, by their whole name.
                lost += [f"{columns[0].strip()}: {name}" for name in names_in(columns[-1])
                         if not is_there(name, inside + [os.path.dirname(f) for f in inside]) and not name.endswith(".def")]
        self.assertGreater(rooms, 15)
        self.assertEqual(lost, [])


if __name__ == "__main__":
    unittest.main()

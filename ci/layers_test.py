#!/usr/bin/env python3
"""ci/layers over a house that is played: which includes and namespaces it refuses, and what it lets pass."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Layers(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.write("ci/layers", pathlib.Path(HERE, "layers").read_text(encoding="utf-8"))

    def write(self, path, text):
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def said(self):
        """The status, and its lines."""
        done = subprocess.run([sys.executable, "-B", self.folder / "ci" / "layers"], stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout.splitlines()

    def passes(self, path, line):
        self.write(path, f"\n{line}\n")
        self.assertEqual(self.said(), (0, []), line)

    def refuses(self, path, line, told):
        self.write(path, f"\n{line}\n")
        self.assertEqual(self.said(), (1, [f"{path}:2: {told}"]), line)

    def test_a_room_uses_those_above_it(self):
        self.passes("decoder/layout/span.cpp", '#include "decoder/base/exact.h"')
        self.refuses("decoder/layout/span.cpp", '#include "decoder/findings/findings.h"',
                     "decoder/layout may not include decoder/findings/findings.h of decoder/findings")
        self.passes("decoder/layout/span.cpp", "")
        self.refuses("plugin/base/log.cpp", '#include "plugin/registry/registry.h"',
                     "plugin/base may not include plugin/registry/registry.h of plugin/registry")

    def test_nobody_uses_the_plugin_and_the_decoder_nobody(self):
        self.refuses("reporters/text/style.cpp", '#include "plugin/base/log.h"',
                     "reporters/text may not include plugin/base/log.h of plugin/base")
        self.passes("reporters/text/style.cpp", '#include "decoder/base/exact.h"')
        self.refuses("decoder/base/exact.cpp", '#include "reporters/text/style.h"',
                     "decoder/base may not include reporters/text/style.h of reporters/text")

    def test_the_plugin_uses_those_who_write_the_trace(self):
        self.passes("plugin/session/session.cpp", '#include "reporters/trace/write/writer.h"')
        self.refuses("plugin/session/session.cpp", '#include "reporters/trace/read/reader.h"',
                     "plugin/session may not include reporters/trace/read/reader.h of reporters/trace/read")

    def test_tests_use_their_whole_house(self):
        self.passes("decoder/layout/span_test.cpp", '#include "decoder/findings/findings.h"')
        self.refuses("decoder/layout/span.cpp", '#include "decoder/testing/test_store.h"',
                     "decoder/layout may not include decoder/testing/test_store.h of decoder/testing")

    def test_the_decoder_has_no_files(self):
        self.passes("decoder/base/exact.cpp", "#include <vector>")
        self.refuses("decoder/base/exact.cpp", "#include <fstream>", "decoder/base may not include <fstream>")
        self.refuses("decoder/base/exact.cpp", "#include <unistd.h>", "decoder/base may not include <unistd.h>")

    def test_namespaces_follow_folders(self):
        self.passes("decoder/base/exact.cpp", "namespace ddtscope {")
        self.passes("decoder/c_api/text.cpp", "namespace ddtscope::c_api {")
        self.passes("reporters/trace/write/writer.cpp", "namespace ddtscope::trace {")
        self.refuses("plugin/base/log.cpp", "namespace ddtscope {", "plugin/base does not have the namespace ddtscope")
        self.passes("plugin/base/log.cpp", "namespace ddtscope::plugin {")
        self.refuses("reporters/text/style.cpp", "namespace ddtscope::plugin {",
                     "reporters/text does not have the namespace ddtscope::plugin")

    def test_each_file_has_a_room(self):
        self.write("decoder/attic/old.cpp", "")
        self.assertEqual(self.said(), (1, ["decoder/attic/old.cpp: belongs to no room of ci/layers"]))


if __name__ == "__main__":
    unittest.main()

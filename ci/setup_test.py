#!/usr/bin/env python3
"""ci/setup on machines that are played by stubs of dpkg-query, apt-get and apt-cache."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = ["awk", "bash", "cat", "dirname", "env", "grep", "ls", "mktemp", "readlink", "rm", "sed", "sort", "tail", "touch", "tr"]
STUBS = {
    # What is installed stands in a file, a name a line; so do what is offered, and what cannot be installed.
    "dpkg-query": """for name in "$@"; do
  case $name in -*) ;; *) if grep -qx -- "$name" "$STATE/installed"; then echo "$name installed"; else echo "no $name" >&2; fi ;; esac
done""",
    "apt-cache": """shift
for name in "$@"; do
  echo "$name:"
  if grep -qx -- "$name" "$STATE/offered"; then echo "  Candidate: 1.0"; else echo "  Candidate: (none)"; fi
done""",
    "apt-get": """echo "$*" >>"$STATE/calls"
case " $* " in
  *" indextargets "*) if [ -e "$STATE/lists" ]; then echo lists; fi ;;
  *" update "*)
    if [ -e "$STATE/no_network" ]; then echo "E: no network"; exit 100; fi
    touch "$STATE/lists"; cat "$STATE/after_update" >>"$STATE/offered" ;;
  *" -s "*) for name in "$@"; do if grep -qx -- "$name" "$STATE/broken"; then echo "E: $name has unmet dependencies"; exit 100; fi; done ;;
  *" install "*) for name in "$@"; do case $name in -* | install) ;; *) echo "$name" >>"$STATE/installed" ;; esac; done ;;
esac""",
    "id": "cat \"$STATE/user\"",
    # What of debuggers a real machine has is no part of this.
    "lldb": "echo 'works: True'",
}


def packages():
    """All that ci/setup knows, with the alternatives apart: [[first, second], ...]."""
    text = pathlib.Path(HERE, "setup").read_text()
    rows = re.search(r"^needs='\n(.*?)'$", text, re.S | re.M).group(1).splitlines()
    return [group.split("/") for row in rows for group in row.split("|")[3].split()]


class Machine:
    def __init__(self, installed=(), offered=(), broken=(), after_update=(), lists=True, user=0, network=True, without=()):
        self.folder = tempfile.mkdtemp()
        self.bin = os.path.join(self.folder, "bin")
        os.mkdir(self.bin)
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.bin, tool))
        for name, text in STUBS.items():
            if name not in without:
                path = os.path.join(self.bin, name)
                with open(path, "w") as out:
                    out.write(f"#!{self.bin}/bash\n{text}\n")
                os.chmod(path, 0o755)
        for name, value in {"installed": installed, "offered": offered, "broken": broken, "after_update": after_update,
                            "calls": (), "user": [str(user)]}.items():
            with open(os.path.join(self.folder, name), "w") as out:
                out.writelines(line + "\n" for line in value)
        for name, there in {"lists": lists, "no_network": not network}.items():
            if there:
                open(os.path.join(self.folder, name), "w").close()

    def setup(self, *arguments):
        result = subprocess.run([os.path.join(self.bin, "bash"), os.path.join(HERE, "setup"), *arguments],
                                env={"PATH": self.bin, "STATE": self.folder, "HOME": self.folder}, capture_output=True,
                                text=True)
        self.said = result.stderr
        assert result.stdout == ""
        return result.returncode

    def lines(self, name):
        return pathlib.Path(self.folder, name).read_text().splitlines()

    def __del__(self):
        shutil.rmtree(self.folder, ignore_errors=True)


ALL = [group[0] for group in packages()]


def but(*names):
    return [name for name in ALL if name not in names]


class Setup(unittest.TestCase):
    def test_nothing_is_done_or_said_where_all_is_there(self):
        machine = Machine(installed=ALL)
        self.assertEqual(machine.setup(), 0)
        self.assertEqual((machine.said, machine.lines("calls")), ("", []))

    def test_the_second_of_two_alternatives_will_do(self):
        second = [group[-1] for group in packages()]
        machine = Machine(installed=second)
        self.assertEqual(machine.setup(), 0)
        self.assertEqual((machine.said, machine.lines("calls")), ("", []))

    def test_what_is_missing_is_installed_after_the_lists_were_fetched(self):
        machine = Machine(offered=[], after_update=ALL, lists=False)
        self.assertEqual(machine.setup(), 0, machine.said)
        self.assertEqual(sorted(machine.lines("installed")), sorted(ALL))
        self.assertEqual(machine.setup(), 0)
        self.assertEqual(machine.said, "")

    def test_an_alternative_that_is_offered_is_taken(self):
        machine = Machine(installed=but("lldb", "python3-lldb"), offered=["lldb-14", "python3-lldb-14"])
        self.assertEqual(machine.setup(), 0, machine.said)
        self.assertEqual(machine.lines("installed")[-2:], ["lldb-14", "python3-lldb-14"])

    def test_what_can_be_done_without_is_left_out_in_one_line_with_its_cost(self):
        machine = Machine(installed=but("abinit", "scalapack-mpi-test"))
        self.assertEqual(machine.setup(), 0)
        self.assertEqual(machine.said.splitlines(), [
            "ci/setup: left out: the test programs of ScaLAPACK (scalapack-mpi-test is not offered here); "
            "this costs half of the demo, the tests *.xdlu, *.xdqr, *.xdllt, *.xdsep",
            "ci/setup: left out: ABINIT (abinit is not offered here); this costs the test openmpi.abinit"])
        self.assertFalse([call for call in machine.lines("calls") if "update" in call])

    def test_what_has_unmet_dependencies_is_left_out_and_the_rest_installed(self):
        machine = Machine(installed=but("abinit", "gdb"), offered=ALL, broken=["abinit"])
        self.assertEqual(machine.setup(), 0)
        self.assertIn("ci/setup: left out: ABINIT (abinit cannot be installed: E: abinit has unmet dependencies);", machine.said)
        self.assertEqual(machine.lines("installed")[-1], "gdb")

    def test_what_nothing_works_without_is_named(self):
        machine = Machine(installed=but("libsimdjson-dev"))
        self.assertEqual(machine.setup(), 1)
        self.assertEqual(machine.said.splitlines(), [
            "ci/setup: nothing works without these:",
            "  the C++ libraries nlohmann/json, simdjson, fmt, spdlog, CLI11 (libsimdjson-dev is not offered here)"])

    def test_one_mpi_library_is_enough_and_none_is_not(self):
        machine = Machine(installed=but("mpich", "libmpich-dev"))
        self.assertEqual(machine.setup(), 0)
        self.assertIn("left out: MPICH", machine.said)
        machine = Machine(installed=but("mpich", "libmpich-dev", "openmpi-bin", "libopenmpi-dev"))
        self.assertEqual(machine.setup(), 1)
        self.assertIn("nothing works without an MPI library", machine.said)

    def test_the_demo_needs_no_tests(self):
        machine = Machine(offered=ALL)
        self.assertEqual(machine.setup("demo"), 0, machine.said)
        installed = machine.lines("installed")
        self.assertIn("libopenmpi-dev", installed)
        self.assertFalse({"libgtest-dev", "clang", "gdb", "abinit"} & set(installed))

    def test_jobs_need_no_other_peoples_programs(self):
        machine = Machine(offered=ALL)
        self.assertEqual(machine.setup("jobs"), 0, machine.said)
        installed = machine.lines("installed")
        self.assertLessEqual({"libopenmpi-dev", "libgtest-dev", "gfortran", "gdb"}, set(installed))
        self.assertFalse({"clang", "lldb", "abinit", "mkdocs"} & set(installed))

    def test_who_may_not_install_is_told(self):
        machine = Machine(installed=but("cmake"), offered=ALL, user=1000)
        self.assertEqual(machine.setup(), 1)
        self.assertIn("run this as root, or install sudo", machine.said)
        machine = Machine(installed=but("gdb"), offered=ALL, user=1000)
        self.assertEqual(machine.setup(), 0)
        self.assertIn("left out: gdb (not installed; run this as root, or install sudo)", machine.said)

    def test_a_fetch_that_fails_is_an_error(self):
        machine = Machine(installed=but("gdb"), offered=ALL, network=False)
        self.assertEqual(machine.setup(), 1)
        self.assertIn("E: no network", machine.said)

    def test_without_apt_each_kind_is_named(self):
        machine = Machine(without=("apt-get",))
        self.assertEqual(machine.setup(), 1)
        self.assertIn("this system has no apt", machine.said)
        self.assertIn("  GoogleTest\n", machine.said)
        self.assertIn("  ABINIT (can be left out; this costs the test openmpi.abinit)\n", machine.said)

    def test_an_lldb_without_python_is_told(self):
        machine = Machine(installed=but("lldb"), offered=ALL)
        with open(os.path.join(machine.bin, "lldb"), "w") as out:
            out.write(f"#!{machine.bin}/bash\necho 'error: no Python here'\n")
        self.assertEqual(machine.setup(), 0)
        self.assertIn("left out: lldb with its Python", machine.said)
        self.assertIn("error: no Python here", machine.said)

    def test_another_word_is_refused(self):
        self.assertEqual(Machine().setup("everything"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=1)

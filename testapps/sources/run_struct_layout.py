"""`struct-layout` and `show --source`: types that have the names of structs, held against the program's debugging
information. The structs and what is wrong with each type stand in struct_layout.c."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "harness"))
import script
from script import base_environment, fail

# By the type's last name: severity, and words of the message. Others must have none.
WANTED = {
    "id_too_short": ("error", "`id` (long int) at 0 is called MPI_INT: another size"),
    "as_integer": ("error", "`a` (double) at 0 is called MPI_LONG: floating against integer"),
    "holds_pointer": ("error", "`data` (pointer) at 0 is called MPI_DOUBLE: a pointer, in place of what it points to"),
    "other_sign": ("warning", "`count` (unsigned int) at 0 is called MPI_INT: signed against unsigned"),
    "with_padding": ("warning", "MPI_INT at 4 lies in padding"),
    "too_short": ("error", "MPI_INT at 8 lies beyond the struct"),
    "partly_sent": ("note", "`scratch` (int) at 8 is left out"),
    "array_element": ("warning", "its extent is 9, sizeof is 16, and a call used 2 copies"),
    "long_long": ("note", "`a` (long long int) at 0 is called MPI_LONG: long against long long"),
    "as_bytes": ("note", "4 bytes of padding at 4 are sent as MPI_BYTE."),
    "named_later": ("error", "though it is called 'named_later': `b` (double) at 8 is called MPI_LONG"),
}


class Tried:
    def __init__(self, args):
        self.args, self.env = args, base_environment()
        self.trace = os.path.join(args.work, "trace")

    def run(self, *words):
        return subprocess.run(list(map(str, words)), env=self.env, capture_output=True, text=True, timeout=120)

    def ddtscope(self, *words):
        return self.run(self.args.ddtscope, *words)

    def record(self, program):
        ran = self.run(self.args.launcher, "-n", "1", self.args.ddtscope, "exec", "--quiet", "-o", self.trace, "--", program)
        if ran.returncode != 0:
            fail("the job", f"{ran.returncode} {ran.stderr[-2000:]}")

    def findings(self):
        check = self.ddtscope("check", self.trace, "--json")
        return [one for one in json.loads(check.stdout)["findings"] if one["id"] == "struct-layout"]

    def check_findings(self):
        found = {finding["names"][-1]: finding for finding in self.findings()}
        if set(found) != set(WANTED):
            fail("findings", f"of {sorted(found)}, not of {sorted(WANTED)}")
        for name, (severity, words) in WANTED.items():
            finding = found.get(name, {"severity": None, "message": ""})
            if finding["severity"] != severity or words not in finding["message"]:
                fail(name, f"{finding['severity']}: {finding['message']}")
            if f"struct {name} (struct_layout.c:" not in finding["message"]:
                fail(name, f"does not say where the struct is: {finding['message']}")

    def check_show(self):
        shown = self.ddtscope("show", self.trace, "id_too_short", "--source").stdout
        for words in ("It has the name of struct id_too_short (struct_layout.c:", "id       long int  MPI_INT", "x[0..2]  double    MPI_DOUBLE"):
            if words not in shown:
                fail("show", f"no {words!r} in {shown}")
        # What `check` tells of a type, `show` tells too, and no more.
        told = {finding["names"][0]: finding for finding in self.findings()}
        for name in ("id_too_short", "partly_sent", "right"):
            of_type = json.loads(self.ddtscope("show", self.trace, name, "--json").stdout).get("source_findings", [])
            if of_type != [told[one] for one in (name,) if one in told]:
                fail("show --json", f"of {name}: {of_type}")
            text = self.ddtscope("show", self.trace, name).stdout
            if ("(struct-layout): " in text) != (name in told) or (name in told and told[name]["message"] not in text):
                fail("show", f"of {name}: {text}")
        whole = json.loads(self.ddtscope("show", self.trace, "right", "--source", "--json").stdout)["source"]
        if (whole["record"], whole["size"], {part["severity"] for part in whole["parts"]}) != ("struct right", 48, {None}):
            fail("show --json", str(whole))
        # A layout that one struct has, and no other.
        types = json.loads(self.ddtscope("types", self.trace, "--json").stdout)
        for made in types:
            if made["extent"] == 24 and not made["names"] and made["entries"] == 12:
                text = self.ddtscope("show", self.trace, made["id"], "--source").stdout
                if "It is struct without_name (struct_layout.c:" not in text:
                    fail("without a name", text)
                break
        else:
            fail("without a name", "there is no such type")

    def check_silence(self, program):
        """Another build of the program is not believed."""
        os.remove(program)
        if self.findings():
            fail("a program that is gone", "has structs")
        text = self.ddtscope("show", self.trace, "right", "--source").stdout
        if "No struct of the program is known" not in text or "the file is missing" not in text:
            fail("a program that is gone", text)


def main():
    args = script.options_of(script.parser(__doc__))
    program = os.path.join(args.work, "struct_layout")
    shutil.copy(args.program, program)
    tried = Tried(args)
    tried.record(program)
    tried.check_findings()
    tried.check_show()
    tried.check_silence(program)
    return script.outcome()


sys.exit(main())

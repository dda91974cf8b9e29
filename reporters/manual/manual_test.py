#!/usr/bin/env python3
"""Man pages and completion tell of all that the command's help tells of, and shells take them.

    manual_test.py pages DDTSCOPE FOLDER [mandoc=FILE] [man=FILE]     FOLDER: of the pages
    manual_test.py bash|zsh|fish DDTSCOPE FILE                        FILE: the completion; the shell is in PATH
"""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

failures = []
# Shells and man speak as the caller's settings say, and complain of those that are not here.
os.environ["LC_ALL"] = "C.UTF-8"
for variable in ("BASH_ENV", "MANOPT", "MANROFFOPT"):
    os.environ.pop(variable, None)


def expect(condition, what):
    if not condition:
        failures.append(what)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                          **options)


class Help:
    """What the command's help says: options by verb, with the words that each takes where it lists them."""

    def __init__(self, ddtscope):
        # Releases of CLI11 have layouts of their own.
        listed = re.split(r"subcommands:\s*\n", run(ddtscope, "--help").stdout, flags=re.I)[1]
        self.verbs = re.findall(r"^  (\w+) ", listed, re.M)
        self.options, self.words = {}, {}
        for verb in self.verbs:
            told = run(ddtscope, verb, "--help").stdout
            self.options[verb] = set()
            for short, long, words in re.findall(r"^ {2,12}(?:(-\w), *)?(--[\w-]+)(?: \S*\{([^}]*)\})?", told, re.M):
                self.options[verb].update({short, long} - {""})
                if words:
                    self.words[verb, long] = set(words.split(","))
        expect(len(self.verbs) > 15 and {"--json", "--view"} < self.options["show"] and {"-o", "--output"} < self.options["exec"] and
               self.words["show", "--view"] == {"rows", "grid", "runs", "tree"}, f"help is not read: {self.options} {self.words}")


def check_pages(told, folder, programs):
    command_page = (folder / "ddtscope.1").read_text()
    expect({page.name for page in folder.glob("ddtscope*.1")} == {"ddtscope.1"} | {f"ddtscope-{verb}.1" for verb in told.verbs},
           "a page for each verb, and no more")
    for verb in told.verbs:
        expect(f".It Xr ddtscope-{verb} 1\n" in command_page, f"the command's page names {verb}")
        page = (folder / f"ddtscope-{verb}.1").read_text()
        listed = {"-" + name for row in re.findall(r"^\.It (Fl .*)$", page, re.M) for name in re.findall(r"Fl (\S+)", row)}
        expect(listed == told.options[verb], f"the page of {verb} has {listed}, not {told.options[verb]}")
        synopsis = page.split(".Sh SYNOPSIS")[1].split(".Sh ")[0]
        for option in told.options[verb] - {"-h", "--help", "--output"}:
            expect(f"Fl {option[1:]}" in synopsis, f"the synopsis of {verb} has {option}")
            for word in told.words.get((verb, option), ()):
                expect(re.search(rf"^\.It Fl {option[1:]} .*\b{word}\b|\(.*\b{word}\b", page, re.M), f"{verb} {option} {word}")
    for page in folder.glob("ddtscope*.1"):
        if "mandoc" in programs:
            said = run(programs["mandoc"], "-Tlint", "-W", "warning", page).stdout.splitlines()
            said = [line for line in said if "date in the future" not in line]  # where the clock stands still
            expect(not said, f"mandoc: {said}")
        if "man" in programs:
            said = run(programs["man"], "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
            expect(said.returncode == 0 and said.stdout and not said.stderr, f"man: {page.name}: {said.stderr}")


def check_must_page():
    """The names that findings.def has stand in the page for users of MUST."""
    here = pathlib.Path(__file__).resolve().parent
    rows = re.findall(r'^JOB_FINDING\(\w+, "([\w-]+)", \w+, \w+, "(MUST[^"]*)"', (here / "../../decoder/findings/findings.def").read_text(), re.M)
    wanted = [f"| `{name}` | {', '.join(f'`{alias}`' for alias in aliases.split())} |" for name, aliases in rows]
    found = re.findall(r"^\| `.*MUST_ERROR.*", (here / "must.md").read_text(), re.M)
    expect(len(wanted) > 8 and found == wanted, f"must.md has\n{found} and not\n{wanted}")


def bash_completer(completion):
    """Of words, the last of which is being written."""
    def complete(*words):
        result = run("bash", "--norc", "-c", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ddtscope; printf "%s\\n" "${COMPREPLY[@]}"',
                     "bash", completion, "ddtscope", *words, cwd=pathlib.Path(__file__).parent.parent)
        expect(result.returncode == 0 and not result.stderr, f"bash: {words}: {result.stderr}")
        return set(result.stdout.split())
    return complete


def fish_completer(completion):
    home = tempfile.TemporaryDirectory()

    def complete(*words):
        line = " ".join(("ddtscope",) + words)
        result = run("fish", "--no-config", "-c", f'source {completion}; complete -C "{line}"', cwd=pathlib.Path(__file__).parent.parent,
                     env={**os.environ, "HOME": home.name, "XDG_CONFIG_HOME": home.name, "XDG_DATA_HOME": home.name})
        expect(result.returncode == 0 and not result.stderr, f"fish: {words}: {result.stderr}")
        return {row.split("\t")[0] for row in result.stdout.splitlines()} - {""}
    complete.keep = home
    return complete


class Zsh:
    """An interactive zsh, whose completion writes what it offers into a file."""

    SETTING = """PROMPT= ; RPROMPT= ; unsetopt beep autolist automenu
fpath=({folder} $fpath); autoload -U compinit; compinit -u -D
compadd() {{
  if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  typeset -a offered; builtin compadd -A offered "$@"; print -rl -- $offered >>{told}; builtin compadd "$@"
}}
"""

    def __init__(self, completion):
        self.folder = tempfile.TemporaryDirectory()
        self.told = pathlib.Path(self.folder.name) / "told"
        setting = pathlib.Path(self.folder.name) / "setting"
        setting.write_text(self.SETTING.format(folder=completion.parent, told=self.told))
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.chdir(pathlib.Path(__file__).parent.parent)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "HOME": self.folder.name})
        self.say(f"source {setting}\n")

    def say(self, text):
        """Then waits until that has been done."""
        self.told.unlink(missing_ok=True)
        os.write(self.terminal, f"{text}\x15print END >>{self.told}\n".encode())
        end = time.monotonic() + 30
        while time.monotonic() < end:
            while select.select([self.terminal], [], [], 0.02)[0]:
                os.read(self.terminal, 65536)
            if self.told.exists() and self.told.read_text().endswith("END\n"):
                return set(self.told.read_text().split()) - {"END"}
        expect(False, f"zsh did not answer to {text!r}")
        return set()

    def __call__(self, *words):
        return self.say(" ".join(("ddtscope",) + words) + "\t")


def check_completion(told, complete, is_bash):
    expect(set(told.verbs) <= complete(""), f"verbs: {complete('')}")
    expect(complete("--v") == {"--version"} or not is_bash, "options in front of the verb")
    for verb in told.verbs:
        long = {option for option in told.options[verb] if option.startswith("--")}
        offered = {word.rstrip("=") for word in complete(verb, "--") if word.startswith("--") and word != "--"}
        expect(offered == long, f"{verb}: {offered} is offered, not {long}")
    for (verb, option), words in told.words.items():
        offered = complete(verb, option, "")
        expect(words <= offered and (not is_bash or words == offered), f"{verb} {option}: {offered} is offered, not {words}")
    expect("CMakeLists.txt" in complete("summary", "CM"), f"a trace is files: {complete('summary', 'CM')}")
    folders = complete("exec", "-o", "")
    expect(any(name.startswith("manual") for name in folders) and "CMakeLists.txt" not in folders, f"a trace to write is a folder: {folders}")
    expect("never-freed" in complete("explain", ""), "findings by id")
    expect("sleep" in {pathlib.Path(word).name for word in complete("exec", "slee")}, f"exec runs a program: {complete('exec', 'slee')}")


def check_bash(complete):
    expect(complete("show", "--view", "=", "g") == {"grid"}, f"behind =: {complete('show', '--view', '=', 'g')}")
    expect(complete("show", "--view", "=") == {"rows", "grid", "runs", "tree"}, f"at =: {complete('show', '--view', '=')}")
    expect(complete("diff", "a", "b", "--fail-on", "new-leak,c") == {"new-leak,count"}, "the next of a list")
    expect(complete("check", "--ignore", "never-freed,never-c") == {"never-freed,never-committed"}, "the next finding")
    expect("sleep" in complete("exec", "-o", "t", "--verify", "slee"), "a program behind the options of exec")
    expect("sleep" in complete("exec", "--stack", "=", "4", "--", "slee"), "a program behind an option's value and --")
    expect("CMakeLists.txt" in complete("exec", "-o", "t", "sleep", "CM"), "a program's own words")
    expect("--verify" not in complete("exec", "sleep", "--ver"), "a program's own options")
    expect("sleep" in complete("gdb", "-ex", "run", "--", "slee"), "a program at the debugger")
    expect("CMakeLists.txt" in complete("gdb", "CM"), "the debugger's own words")
    expect("CMakeLists.txt" in complete("show", "--typemap", "CM"), "behind an option that may lack its value")
    expect(complete("nonsense", "--", "") == set(), "no such verb")


def main():
    subject, ddtscope, path, *programs = sys.argv[1:]
    told = Help(ddtscope)
    path = pathlib.Path(path)
    if subject == "pages":
        check_pages(told, path, dict(program.split("=", 1) for program in programs))
        check_must_page()
    elif subject == "bash":
        complete = bash_completer(path)
        check_completion(told, complete, is_bash=True)
        check_bash(complete)
    else:
        check_completion(told, {"zsh": Zsh, "fish": fish_completer}[subject](path), is_bash=False)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main())

"""What `mpitype` and the printers tell in lldb."""
import pathlib
import shutil
import subprocess

from harness import VALUES, clean, contains, ddtscope, expect, options, rows, work


def check_blanks():
    """Where ddtscope's own path has a blank, and with what the user has set for the program."""
    prefix = work / "with a blank"
    (prefix / "bin").mkdir(parents=True)
    command = shutil.copy(options.ddtscope, prefix / "bin")
    (prefix / "share").symlink_to(pathlib.Path(options.ddtscope).resolve().parents[1] / "share")
    (prefix / ".lldbinit").write_text("settings set target.env-vars OWN=1\n")
    commands = ["breakpoint set -n here", "process launch", "settings show target.env-vars", "mpitype list --live", "mpitype --help"]
    result = subprocess.run([command, "lldb", "-b", *(word for text in commands for word in ("-o", text)), "--", options.program],
                            capture_output=True, text=True, cwd=work, timeout=200, stdin=subprocess.DEVNULL,
                            env={**clean, "DDTSCOPE_OUTPUT": str(work / "blanks"), "DDTSCOPE_PLUGIN_DIR": str(pathlib.Path(options.plugin).parent),
                                 "LD_PRELOAD": "libm.so.6 libc.so.6", "HOME": str(prefix)})
    contains(result.stdout, ["upper triangle", "OWN=1", "libm.so.6 libc.so.6", "mpitype show TYPE"], f"blanks: {result.stderr}")


def check_lldb():
    commands = ["breakpoint set -n here", "process launch", "frame variable renamed", "mpitype show by_reference",
                "mpitype list --live", "mpitype where &matrix[2][3] matrix triangle", "target variable freed"]
    trace = work / "lldb"

    def lldb(commands):
        words = [options.ddtscope, "lldb", "-b"]
        for command in commands:
            words += ["-o", "script print('@@')", "-o", command]
        result = subprocess.run([*words, "--", options.program], capture_output=True, text=True, cwd=work,
                                env={**clean, "DDTSCOPE_OUTPUT": str(trace)}, timeout=200, stdin=subprocess.DEVNULL)
        return [part.split("\n", 2)[-1] for part in result.stdout.split("\n@@\n")[1:]], result.stdout + result.stderr

    answers, everything = lldb(commands)
    contains(everything, ["T2 = MPI_Type_create_struct", 'name      "upper triangle"', "value 11", " freed in ", "(debugged.cpp:107); was T"], "lldb")
    # In batch mode it ends at the first error.
    for command, words in (("mpitype show garbage", "no datatype that ddtscope knows"),
                           ("mpitype frobnicate", "there is no `mpitype frobnicate`"),
                           ("mpitype show (1+", "cannot be evaluated"), ("mpitype show make_types()", "cannot be evaluated")):
        contains(lldb(["breakpoint set -n here", "process launch", command])[1], words, "lldb, " + command)
    expected = ddtscope("show", trace, "T1")[1].split("made at")[0]
    expect(expected in everything, f"lldb: show:\n{everything}")
    answers, everything = lldb(["breakpoint set -n here", "process launch", *("mpitype " + command for command in VALUES)])
    for command, answer in zip(VALUES, answers[2:]):
        expect(rows(answer) == VALUES[command], f"lldb: {command}: {rows(answer)} in\n{answer}")

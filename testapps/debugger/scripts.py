"""The scripts' parts that need no debugger, how gdb finds them, and the page that describes them."""
import pathlib
import re
import shutil
import subprocess
import sys

from harness import START, clean, contains, ddtscope, expect, failures, gdb, options, work


def check_scripts():
    """What the scripts do without a debugger."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(pathlib.Path(options.ddtscope).resolve().parents[1] / "share" / "ddtscope" / "debugger"))
    import ddtscope_debug
    import ddtscope_source
    text = ('/* MPI_Send(z) */ CHECK(\n  MPI_Send(a, // MPI_Send(\n";x," "b", t[f(1, 2)]));\n#define A \\\n MPI_Send(q, r)\nA;\n'
            "else MPI_Send(x, y); MPI_Recv(1);\nMPI_Send(1); MPI_Send(2);")
    several = ["a", '";x," "b"', "t[f(1, 2)]"]
    fixed = "      call foo\n      call MPI_SEND(a,\n     1 n, 'x,',\nC don't\n     & t)\n      x=1"
    free = "call foo\ncall MPI_Send(a, & ! MPI_SEND(\n  n, &\n! don't\n  & t)\nx=1"
    for file, source, expected in (("x.c", text, [several, several, several, None, None, None, ["x", "y"], None]),
                                   ("x.f", fixed, [None] + [["a", "n", "'x,'", "t"]] * 2 + [None, ["a", "n", "'x,'", "t"], None]),
                                   ("x.F90", free, [None] + [["a", "n", "t"]] * 2 + [None, ["a", "n", "t"], None])):
        found = [ddtscope_source.call_in_source(source, i + 1, "MPI_Send", file) for i in range(len(expected))]
        expect(found == expected, f"calls in {file}: {found}")
    for harmless, expressions in ((True, ("a[1]", "n <= 1", "n == 1", "sizeof(x)", "&a->b")), (False, ("n <<= 1", "n >>= 2", "n++", "f(1)", "n = 1"))):
        for expression in expressions:
            expect(ddtscope_source.is_harmless(expression) == harmless, f"whether {expression} is harmless")
    for expression, harmless in (("tile(0, i)", True), ("a /= b", True), ("count=1", False), ("p => q", True)):
        expect(ddtscope_source.is_harmless(expression, True) == harmless, f"whether {expression} is harmless in Fortran")
    import ddtscope_calls
    import ddtscope_command
    examples = ddtscope_command.HELP.partition("\nExamples:\n")[2]
    for verb in ddtscope_command.USAGE:
        expect(f"  mpitype {verb} " in examples, f"help mpitype has no example of {verb}")
    for function, expected in (("PMPI_Bcast", ("MPI_Bcast", False)), ("mpi_send_", ("MPI_Send", True)), ("MPI_Bcast_init", ("MPI_Bcast_init", False)),
                               ("mpi_ineighbor_alltoallw_f08_", ("MPI_Ineighbor_alltoallw", True)), ("MPI_Reduce_scatter_c", ("MPI_Reduce_scatter_c", False)),
                               ("wrapped_PMPI_Bcast", ("MPI_Bcast", False)), ("wrapped_mpi_send_", ("MPI_Send", True)), ("MPI_Wait", None),
                               ("MPI_Pack_init", None), (None, None)):
        found = ddtscope_calls.mpi_name(function)
        expect(found == expected, f"{function} is {found}")
    for function, expected in (("ompi_sendrecv_wrapper_f08", True), (None, True), ("main", False), ("PMPI_Send", False)):
        expect(ddtscope_calls.is_within_library(function) == expected, f"whether {function} is within a library")

    def interrupted(_, __):
        raise KeyboardInterrupt

    for address, ranges in ((0x1000, None), (None, lambda: [(0x1000, 0x2000)])):
        try:
            ddtscope_debug.Session(interrupted, address, ranges, "process", False)
            failures.append("an interrupt is lost")
        except ddtscope_debug.Problem as problem:
            expect(str(problem) == "interrupted.", f"an interrupt is told as: {problem}")


def check_auto_load():
    """gdb finds the script by the plugin's path, as where ddtscope is installed beside gdb."""
    folder = work / "auto-load"
    plugin = pathlib.Path(options.plugin).resolve()
    script = folder / str(plugin)[1:]
    script.parent.mkdir(parents=True)
    shutil.copy(options.auto_load, str(script) + "-gdb.py")
    result = subprocess.run(
        ["gdb", "-nx", "-batch", "-iex", f"set auto-load scripts-directory {folder}", "-iex", f"add-auto-load-safe-path {folder}",
         "-ex", f"set environment LD_PRELOAD {plugin}", *(word for command in (*START, "break here", "run", "print renamed",
                                                                               "mpitype list") for word in ("-ex", command)),
         "--args", options.program], capture_output=True, text=True, timeout=100, cwd=work, stdin=subprocess.DEVNULL,
        env={**clean, "DDTSCOPE_OUTPUT": str(work / "auto-load-trace")})
    contains(result.stdout + result.stderr, ["T2 = MPI_Type_create_struct", "upper triangle"], "auto-load")


def same(text):
    """Without what is another in each process: addresses, numbers of values and frames, folders."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"^(\$|#)\d+", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"\S*/(?=wrong_stride)", "", text).strip("\n")


def check_page():
    """The sessions of DEBUGGER.md are what one gets."""
    page = pathlib.Path(options.page).read_text()
    live, before, dead = re.findall(r"^```\n((?:\$ ddtscope gdb|\(gdb\) break MPI_Sendrecv).*?)^```", page, re.MULTILINE | re.DOTALL)
    folder = work / "page"
    folder.mkdir()
    core = folder / "core"
    for block, arguments in ((live, ["--", options.wrong_stride]), (before, ["--", options.wrong_stride]),
                             (dead, ["--core", core, options.wrong_stride])):
        steps = [part.partition("\n")[::2] for part in block.split("(gdb) ")[1:]]
        saves = [f"generate-core-file {core}"] if block is live else []
        answers, errors = gdb([command for command, _ in steps] + saves, *arguments, trace=folder / "trace")
        for (command, expected), answer in zip(steps, answers):
            if expected and command != "run":
                expect(same(answer) == same(expected), f"{command}: DEBUGGER.md has\n{same(expected)}\nbut printed is\n{same(answer)}\n{errors}")
    expect(ddtscope("recover", core, "-o", folder / "t")[0] == 0, "recover of DEBUGGER.md")
    types = re.search(r"^\$ ddtscope types t\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]
    expect(ddtscope("types", folder / "t")[1].strip() == types.strip(), f"types of DEBUGGER.md:\n{types}\n{ddtscope('types', folder / 't')}")

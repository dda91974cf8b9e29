"""The scripts' parts that need no debugger, how gdb finds them, and the page that describes them."""
import pathlib
import re
import shutil
import subprocess
import sys

from harness import START, clean, contains, ddtscope, expect, failures, gdb, options, work

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(options.ddtscope).resolve().parents[1] / "share" / "ddtscope" / "debugger"))
import ddtscope_calls  # noqa: E402
import ddtscope_command  # noqa: E402
import ddtscope_debug  # noqa: E402
import ddtscope_source  # noqa: E402


def check_positions():
    """Positions are those that the plugin has, where the compiler holds them against mpi.h."""
    table = pathlib.Path(__file__).resolve().parents[2] / "plugin" / "call" / "uses.def"
    rows = {}
    for name, row in re.findall(r"^DDTSCOPE_USES(?:_ALONE)?\(\d+, (MPI_\w+), Uses\{(.*)\}\)$", table.read_text(), re.MULTILINE):
        uses = [dict(re.findall(r"\.(\w+) = (\d+)", use)) for use in re.findall(r"\{([^{}]*)\}", row)]
        outside = dict(re.findall(r"\.(\w+) = (\d+)", re.sub(r"\{[^{}]*\}", "", row)))
        if any("buffer" in use for use in uses):
            rows[name] = ([use for use in uses if "buffer" in use], outside)
    names = {name.removesuffix("_c") for name in ddtscope_calls.CALLS}
    expect(len(rows) > 100 and names == set(rows), f"calls of one table alone: {sorted(names ^ set(rows))}")
    for name, (uses, outside) in rows.items():
        layout = ddtscope_calls.CALLS.get(name, ddtscope_calls.Layout(()))
        buffers = {buffer.place: buffer for buffer in layout.buffers}
        for use in uses:
            buffer = buffers.get(int(use["buffer"]))
            wanted = (int(use["type"]), int(use["count"]) if "count" in use else None)
            expect(buffer and (buffer.type, buffer.count) == wanted, f"{name}: {buffer}, but the plugin has {use}")
        for told, positions in (("communicator", {layout.communicator}), ("root", {buffer.root for buffer in layout.buffers}),
                                ("partitions", {buffer.partitions for buffer in layout.buffers})):
            for position in positions - {None}:
                expect(str(position) == outside.get(told), f"{name}: {told} at {position}, but the plugin has {outside}")


def check_calls():
    """What is told of calls whose arguments are known."""
    class Session:
        """Of rank 1 of 2, whose types are the numbers of their handles."""
        facts = ddtscope_debug.Facts(handle_bytes=4, rank=1, size=2)
        in_place = 99
        type_of_handle = staticmethod(lambda handle: ddtscope_debug.Type(number=handle))
        line = staticmethod(lambda found: f"type {found.number}")
        integers = staticmethod(lambda place, number, width: [2] * number)
        text = staticmethod(lambda _, number, place, __, count: f"{count.value} of {number.value} at {place.value}")

    class Call:
        place = ""

        def __init__(self, name, arguments, communicator=None):
            self.name, self.argument, self.communicator = name, arguments.__getitem__, lambda _: communicator

    def told(*call, ranks=None):
        try:
            return ddtscope_calls.text_of_call(Session, Call(*call), ranks, 20)
        except ddtscope_debug.Problem as problem:
            return str(problem)

    billions = 3 << 30
    scatter = ("MPI_Reduce_scatter", [500, 600, 700, 7, 0, 0])
    for answer, expected in (
            (told("MPI_Psend_init", [500, 4, billions, 7]), f"buffer: type 7\n    {billions:,} in each of 4 partitions:\n    {4 * billions} of 7 at 500\n"),
            (told("MPI_Precv_init", [500, 1, 10, 7]), "10 in each of 1 partition:\n    10 of 7 at 500\n"),
            (told("MPI_Fetch_and_op", [0, 600, 7, 0]), "origin buffer: a null pointer\n  result buffer: type 7\n    1 of 7 at 600\n"),
            (told("MPI_Compare_and_swap", [500, 600, 700, 7]), "compare buffer: type 7\n    1 of 7 at 600\n"),
            (told("MPI_Gather", [500, 1, 7, 600, 1, 7, -4, 0]), "receive buffer, which the root has alone: type 7\n"),
            (told("MPI_Gather", [500, 1, 7, 600, 1, 7, 1, 0]), "receive buffer, which rank 1, the root, has alone: type 7\n"),
            # The upper half of a register says nothing of an int, in a large form neither.
            (told("MPI_Gather_c", [500, 1, 7, 600, billions, 7, (5 << 32) + 1, 0], "world"), f"{billions:,} for each of 2 ranks:\n"),
            (told(*scatter, "world"), "send buffer: type 7\n    4 of 7 at 500\n  receive buffer: type 7\n    2 of 7 at 600\n"),
            (told(*scatter, "world", ranks=2), "send buffer: type 7\n    4 of 7 at 500\n"),
            (told(*scatter, "world", ranks=1), "MPI_COMM_WORLD has 2 ranks, not 1: --ranks is for communicators whose size is not known."),
            (told(*scatter, "self", ranks=0), "MPI_COMM_SELF has 1 rank, not 0: --ranks"),
            (told(*scatter, ranks=3), "send buffer: type 7\n    6 of 7 at 500\n")):
        contains(answer, expected, "a call")


def check_words():
    """What `mpitype` makes of its words."""
    class Debugger:
        def __init__(self):
            self.said = ""

        def print(self, text):
            self.said += text

    for text in ("", " ", "help", "--help", "-h"):
        debugger = Debugger()
        ddtscope_command.Command(debugger).run(text)
        expect(debugger.said == ddtscope_command.HELP, f"mpitype {text}: {debugger.said}")
    for text, limit in (("--limit 5", 5), ("--limit=5", 5), ("\t--limit\t5 ", 5), ("", 20)):
        found = ddtscope_command.Arguments("frame", text, (0, 0), (), ("--ranks", "--limit"))
        expect(found.number("--limit", 20) == limit, f"{text}: {found.values}")
    listed = []
    one = ddtscope_command.Command(Debugger())
    one.note_oddities, one.list = lambda: None, listed.append
    one.run("list\t--live")
    expect(listed == ["--live"], f"a tab behind the verb: {listed}")


def check_scripts():
    """What the scripts do without a debugger."""
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

"""What a test program's trace must say: a small language for the *.expected.py files.

A type is named by its tree of constructor calls (`e.vector(3, 1, 2, "MPI_INT")`), so that nothing depends on numbers
that a trace gives. `e.definition(tree, ...)` says what `ddtscope types --json` must answer for it. The set of
definitions must be exactly the expected one, unless `e.others_allowed` is set.
"""
import functools
import re
import subprocess

CONSTANTS = {
    "openmpi": {"ORDER_C": 0, "ORDER_FORTRAN": 1, "BLOCK": 0, "CYCLIC": 1, "NONE": 2, "DFLT_DARG": -1},
    "mpich": {"ORDER_C": 56, "ORDER_FORTRAN": 57, "BLOCK": 121, "CYCLIC": 122, "NONE": 123, "DFLT_DARG": -49767},
    "mpi_abi": {"ORDER_C": 12, "ORDER_FORTRAN": 15, "BLOCK": 17, "CYCLIC": 18, "NONE": 16, "DFLT_DARG": 19},  # MPI-5.0 A.1
}

CONSTRUCTORS = {
    "CONTIGUOUS": "MPI_Type_contiguous",
    "VECTOR": "MPI_Type_vector",
    "HVECTOR": "MPI_Type_create_hvector",
    "INDEXED": "MPI_Type_indexed",
    "HINDEXED": "MPI_Type_create_hindexed",
    "INDEXED_BLOCK": "MPI_Type_create_indexed_block",
    "HINDEXED_BLOCK": "MPI_Type_create_hindexed_block",
    "STRUCT": "MPI_Type_create_struct",
    "SUBARRAY": "MPI_Type_create_subarray",
    "DARRAY": "MPI_Type_create_darray",
    "RESIZED": "MPI_Type_create_resized",
    "DUP": "MPI_Type_dup",
    "F90_REAL": "MPI_Type_create_f90_real",
    "F90_COMPLEX": "MPI_Type_create_f90_complex",
    "F90_INTEGER": "MPI_Type_create_f90_integer",
    "VALUE_INDEX": "MPI_Type_get_value_index",
}

# The unnamed predefined datatypes (MPI-4.1 19.1.9, 6.9.4): never committed or freed.
UNNAMED = {"MPI_COMBINER_F90_REAL", "MPI_COMBINER_F90_COMPLEX", "MPI_COMBINER_F90_INTEGER", "MPI_COMBINER_VALUE_INDEX"}

SYNONYMS = {
    "MPI_LONG_LONG": "MPI_LONG_LONG_INT",
    "MPI_C_FLOAT_COMPLEX": "MPI_C_COMPLEX",
}


def combiners_of(schema):
    """Those that a part of a schema has in an enum."""
    if isinstance(schema, list) and schema and str(schema[0]).startswith("MPI_COMBINER_"):
        return set(schema)
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
    return set().union(*map(combiners_of, parts))


@functools.lru_cache
def exports_of(program):
    """The names that the MPI library of a program exports, in whatever files."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    found = [re.search(r"=> (\S*/lib(?:mpi|open_mpi)\S*)", line) for line in lines]
    files = [match.group(1) for match in found if match]
    output = subprocess.run(["nm", "-D", "--defined-only", *files], capture_output=True, text=True, check=True).stdout
    return frozenset(line.split()[-1].split("@")[0] for line in output.splitlines() if len(line.split()) == 3)


class TypeTable:
    """Numbers for trees: equal trees get equal numbers, so that deep ones are compared without recursion."""

    def __init__(self):
        self.numbers = {}
        self.nodes = []

    def add(self, combiner, large, integers, addresses, large_counts, datatypes):
        datatypes = tuple(SYNONYMS.get(d, d) for d in datatypes)
        node = (combiner, bool(large), tuple(integers), tuple(addresses), tuple(large_counts), datatypes)
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def describe(self, number):
        combiner, large, integers, addresses, large_counts, datatypes = self.nodes[number]
        name = combiner.removeprefix("MPI_COMBINER_").lower() + ("_c" if large else "")
        values = [*integers, *addresses, *large_counts]
        shown = ", ".join(map(str, values[:12])) + (", ..." if len(values) > 12 else "")
        return f"{name}({shown}; {', '.join(d if isinstance(d, str) else f'#{d}' for d in datatypes)})"


class Expectation:
    def __init__(self, library, abi, ranks, table, program):
        self.library = library  # whose it is
        self.abi = abi  # what the program is linked with: the library's own name, or mpi_abi
        self.program = program
        self.ranks = ranks
        self.table = table
        self.constants = CONSTANTS[abi]
        self.program_folder = None  # where packages put their programs' input, too
        self.definitions = []  # (tree, members)
        self.others_allowed = False
        self.unpredictable = 0  # how many definitions there are beside the expected ones
        self.findings = []  # (tree, id) of each error and warning
        self.answers = None  # the file of @WORK@ into which the program writes what the library answered
        self.any_findings = False
        self.shares_buffers = set()  # functions that may be told of as buffers-overlap, because they do it
        # How the job ends and what it leaves behind.
        self.complete = True
        self.trace_files = ranks
        self.rankless = False  # sessions only: files are named by host and process
        self.makes_trace = True
        self.unrecorded = {}  # (entry point, why): number, in each rank
        self.failed_calls = {}  # (entry point, error class, function): number, in all ranks together
        self.wrong_calls = False  # the program passes what the standard forbids: `check` ends with 1
        self.total_types = None  # recorded and unrecorded ones together
        self.largest_trace_bytes = None
        self.summary_contains = []
        self.stdout_contains = []
        # What else to run.
        self.verify = True
        self.allowed_differences = set()
        self.known_differences = None  # else all that verification finds: (tree, subject, computed, the library's)
        self.tries = 1  # of a run that ends by abort(), where the library does so natively, too
        self.repeatable = True  # two runs make the same types at the same places
        self.counted = False
        self.commits_once = False
        # Real programs: files to copy into the working folder, and lines of output that no two runs share.
        self.copies = []
        self.output_files = []
        self.unstable_lines = []
        self.unstable_numbers = False
        self.environment = {}

    # Trees: the arguments in the order of the C call.
    def _tree(self, combiner, integers=(), addresses=(), large_counts=(), datatypes=(), large=False):
        return self.table.add("MPI_COMBINER_" + combiner, large, integers, addresses, large_counts, datatypes)

    def _counts(self, combiner, counts, old, large):
        if large:
            return self._tree(combiner, (), (), counts, (old,), True)
        return self._tree(combiner, counts, (), (), (old,))

    def _with_addresses(self, combiner, counts, addresses, olds, large):
        if large:
            return self._tree(combiner, (), (), [*counts, *addresses], olds, True)
        return self._tree(combiner, counts, addresses, (), olds)

    def dup(self, old):
        return self._tree("DUP", datatypes=(old,))

    def contiguous(self, count, old, large=False):
        return self._counts("CONTIGUOUS", [count], old, large)

    def vector(self, count, blocklength, stride, old, large=False):
        return self._counts("VECTOR", [count, blocklength, stride], old, large)

    def hvector(self, count, blocklength, stride, old, large=False):
        return self._with_addresses("HVECTOR", [count, blocklength], [stride], (old,), large)

    def indexed(self, blocklengths, displacements, old, large=False):
        return self._counts("INDEXED", [len(blocklengths), *blocklengths, *displacements], old, large)

    def hindexed(self, blocklengths, displacements, old, large=False):
        return self._with_addresses("HINDEXED", [len(blocklengths), *blocklengths], displacements, (old,), large)

    def indexed_block(self, blocklength, displacements, old, large=False):
        return self._counts("INDEXED_BLOCK", [len(displacements), blocklength, *displacements], old, large)

    def hindexed_block(self, blocklength, displacements, old, large=False):
        return self._with_addresses("HINDEXED_BLOCK", [len(displacements), blocklength], displacements, (old,), large)

    def struct(self, blocklengths, displacements, olds, large=False):
        return self._with_addresses("STRUCT", [len(blocklengths), *blocklengths], displacements, olds, large)

    def subarray(self, sizes, subsizes, starts, order, old, large=False):
        order = self.constants["ORDER_" + order]
        dims = [*sizes, *subsizes, *starts]
        if large:
            return self._tree("SUBARRAY", [len(sizes), order], (), dims, (old,), True)
        return self._tree("SUBARRAY", [len(sizes), *dims, order], (), (), (old,))

    def darray(self, size, rank, gsizes, distribs, dargs, psizes, order, old, large=False):
        order = self.constants["ORDER_" + order]
        distribs = [self.constants[d] for d in distribs]
        dargs = [self.constants.get(d, d) for d in dargs]
        n = len(gsizes)
        if large:
            return self._tree("DARRAY", [size, rank, n, *distribs, *dargs, *psizes, order], (), gsizes, (old,), True)
        return self._tree("DARRAY", [size, rank, n, *gsizes, *distribs, *dargs, *psizes, order], (), (), (old,))

    def f90(self, kind, *values):
        return self._tree("F90_" + kind, values)

    def resized(self, old, lb, extent, large=False):
        if large:
            return self._tree("RESIZED", (), (), [lb, extent], (old,), True)
        return self._tree("RESIZED", (), [lb, extent], (), (old,))

    def value_index(self, value, index):
        return self._tree("VALUE_INDEX", datatypes=(value, index))

    def uses_blacs(self):
        """In BLACS, who is not the root posts the receive of the sum into the buffer from which it then sends its part, which
        MPI-4.1 3.7.2 forbids (the root answers by MPI_Rsend, for which the receive must be there)."""
        self.shares_buffers = {"BI_TreeComb"}

    def library_has(self, function):
        """Whether the program's MPI library exports the name."""
        return function in exports_of(self.program)

    @property
    def has_large_counts(self):
        return self.library_has("MPI_Type_vector_c")

    @property
    def views_are_dups(self):
        """Whether the library copies the types of file views so; else as contiguous(1), as MPICH did before 4.1, and does
        behind the standard ABI, where that is not played."""
        if self.abi == "mpi_abi" and self.library == "mpich" and self.library_has("MPI_Comm_spawn"):
            return False
        return self.library == "openmpi" or self.library_has("MPI_Type_get_value_index")

    def definition(self, tree, bounds=None, **members):
        """`bounds` is (size, lb, extent, true_lb, true_extent). Beside the members of `ddtscope types --json` there
        are sums over the instances: created, adopted, committed, freed, live; `sites`, how many instances; `functions`
        and `called`, the sets of innermost functions and entry points; `made_by`, how many were created or adopted by
        each entry point and binding; `ranks`, the set of ranks."""
        if bounds:
            size, lb, extent, true_lb, true_extent = bounds
            members.update(size=size, lb=lb, ub=lb + extent, extent=extent, true_lb=true_lb,
                           true_ub=true_lb + true_extent, true_extent=true_extent)
        self.definitions.append((tree, members))
        return tree

    def finding(self, tree, kind):
        """`ddtscope check` must give an error or a warning of this kind for the type."""
        self.findings.append((tree, kind))

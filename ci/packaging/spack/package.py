# Untested: no Spack was at hand where this was written. The dependencies are those of ci/setup.
#
#   spack repo create ddtscope-repo && cp package.py ddtscope-repo/packages/ddtscope/ && spack repo add ddtscope-repo
from spack.package import *


class Ddtscope(CMakePackage):
    """Shows what MPI derived datatypes really are: a plugin that is preloaded into an MPI job records them, a command
    reads the trace."""

    # No address is known from where releases can be fetched: `spack develop` on a clone gives the sources, or a mirror
    # with the archive that `ci/packages --source` makes.
    manual_download = True
    license("BSD-3-Clause")

    version("0.1.0")

    variant("gdb", default=False, description="Have a gdb with Python beside it, for `ddtscope gdb`")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("libunwind")
    depends_on("nlohmann-json")
    depends_on("simdjson")
    depends_on("fmt")
    depends_on("spdlog+fmt_external")
    depends_on("cli11")
    depends_on("xxhash")
    depends_on("elfutils")
    # The command starts it, and loads its scripts into it.
    depends_on("gdb+python", type="run", when="+gdb")

    generator("ninja")
    build_targets = ["product"]

    def cmake_args(self):
        # By itself the build looks for wrappers that are called as Debian calls them.
        wrapper = self.spec["mpi"].prefix.bin.mpicc
        library = "mpich" if self.spec["mpi"].name in ("mpich", "mvapich", "intel-oneapi-mpi", "cray-mpich") else "openmpi"
        return [
            self.define("DDTSCOPE_TESTS", False),
            self.define("DDTSCOPE_{0}_CC".format(library.upper()), wrapper),
        ]

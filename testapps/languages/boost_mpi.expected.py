"""Boost.MPI: the type of a structure, made once and freed when MPI ends; the content of a list, by its addresses."""
import re


def version():
    with open("/usr/include/boost/version.hpp", encoding="utf-8") as source:
        number = int(re.search(r"^#define BOOST_VERSION (\d+)", source.read(), re.MULTILINE).group(1))
    return number // 100000, number // 100 % 1000


def expect(e):
    if version() >= (1, 89):  # seen in 1.92, not in 1.83: the cache's types are freed, and then MPI_DATATYPE_NULL
        e.failed_calls = {("MPI_Type_free", "MPI_ERR_TYPE", "boost::mpi::detail::mpi_datatype_map::clear()"): 1}
    e.definition(e.struct([1, 1], [0, 8], ["MPI_INT", "MPI_DOUBLE"]), bounds=(12, 0, 16, 0, 16), created=1, committed=1,
                 freed=1, live=0, made_by={("MPI_Type_create_struct", "c"): 1})
    e.unpredictable = 1
    e.repeatable = False
    e.stdout_contains = ["7 0.5"]

"""A trace that reaches its limit: the program goes on, what is left out is counted and named."""


def expect(e):
    e.complete = False  # the end stands in the counter file
    e.others_allowed = True
    e.verify = False
    e.environment = {"DDTSCOPE_MAX_TRACE": "48K"}
    e.definition(e.vector(2, 1, 3, "MPI_INT"), bounds=(8, 0, 16, 0, 16), created=1, committed=1, freed=1, live=0)
    e.summary_contains = ["took no more definitions, because the trace reached its limit (DDTSCOPE_MAX_TRACE)",
                          "Not recorded", "MPI_Type_vector: the trace reached its limit (DDTSCOPE_MAX_TRACE) (rank 0), in main"]
    e.total_types = 1000
    e.largest_trace_bytes = 48 * 1024

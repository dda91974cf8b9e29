"""No derived datatype: the report says so."""


def expect(e):
    e.summary_contains = ["no derived datatype"]

"""No derived datatype: the report says so."""


def expect(e):
    e.check_status = 0
    e.summary_contains = ["no derived datatype"]

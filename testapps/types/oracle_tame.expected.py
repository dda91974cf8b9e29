"""Random types where both libraries follow the standard: no difference at all."""


def expect(e):
    e.others_allowed = True
    e.any_findings = True

"""Random types where both libraries follow the standard: no difference at all."""


def expect(e):
    e.answers = "answers.json"
    e.others_allowed = True
    e.any_findings = True

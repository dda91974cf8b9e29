"""Inert in a program without MPI."""


def expect(e):
    e.stdout_contains = ["child left with 3"]
    e.makes_trace = False

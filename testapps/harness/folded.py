"""Sequences of a trace (FORMAT.md), in which runs and loops stand once."""


def unfolded(operations):
    """As the sequence was before it was folded."""
    for element in operations:
        if isinstance(element, int):
            yield element
        else:
            times, body = element
            once = list(unfolded(body))
            for _ in range(int(times)):
                yield from once

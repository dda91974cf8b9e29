"""The arguments of a call as the program's source has them, where they stand there plainly."""
import re


def without_remarks(text, is_fortran, is_fixed):
    """Source of the same length twice: blank where comments and directives are, and without what literals say."""
    if is_fortran:
        tokens = (r"(^[Cc*][^\n]*|" if is_fixed else "(") + r"![^\n]*)|('[^'\n]*'|\"[^\"\n]*\")"
    else:
        tokens = (r"(//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#(?:[^\\\n]|\\.)*)|"
                  r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")

    def blank(found):
        return re.sub(r"[^\n]", " ", found)

    tokens = re.compile(tokens, re.DOTALL | re.MULTILINE)
    code = tokens.sub(lambda m: blank(m[0]) if m[1] else m[0], text)
    bare = tokens.sub(lambda m: blank(m[0]) if m[1] else re.sub(r"[^\n]", "'", m[0]), text)
    return code, bare


def fortran_statement(lines, at, is_fixed):
    """The statement around a line, its continuation lines joined."""
    def goes_on(upper):
        if is_fixed:
            return re.match(r" {5}[^ 0]", lines[upper + 1]) is not None
        return lines[upper].rstrip().endswith("&")

    # Between its lines, comments may stand.
    at = sum(1 for line in lines[:at] if line.strip())
    lines = [line for line in lines if line.strip()]
    first = last = min(at, len(lines) - 1)
    while first > 0 and goes_on(first - 1):
        first -= 1
    while last + 1 < len(lines) and goes_on(last):
        last += 1
    if is_fixed:
        return lines[first] + "".join(line[6:] for line in lines[first + 1:last + 1])
    return " ".join(re.sub(r"^\s*&", "", line).rstrip().removesuffix("&") for line in lines[first:last + 1])


def call_in_source(text, line, name, file=""):
    """The arguments of a call as the source has them: the only call of that name on a line (from 1), and in the rest of
    the statements that stand on it. None where that is not one, such as where a macro makes it."""
    is_fortran = re.search(r"\.(f|for|ftn|f77|f9\d|f[01]\d)$", file, re.IGNORECASE) is not None
    if not 1 <= line <= text.count("\n") + 1:
        return None
    is_fixed = re.search(r"\.(f|for|ftn|f77)$", file, re.IGNORECASE) is not None
    code, bare = without_remarks(text, is_fortran, is_fixed)
    if is_fortran:
        if not code.split("\n")[line - 1].strip():
            return None
        code, bare = (fortran_statement(each.split("\n"), line - 1, is_fixed) for each in (code, bare))
    else:
        start = sum(len(each) + 1 for each in bare.split("\n")[:line - 1])
        end = start + len(bare.split("\n")[line - 1])
        # Where the line itself begins, and where it ends, a statement may be open.
        begin = max(bare.rfind(mark, 0, start) for mark in ";{}") + 1
        if not bare[start:end].rstrip().endswith((";", "{", "}")):
            ends = [at for at in (bare.find(mark, end) for mark in ";{}") if at >= 0]
            end = min(ends, default=len(bare))
        code, bare = code[begin:end], bare[begin:end]
    found = list(re.finditer(r"\bP?" + re.escape(name) + r"\s*\(", bare, re.IGNORECASE if is_fortran else 0))
    if len(found) != 1:
        return None
    arguments, begin, depth = [], found[0].end(), 0
    for at in range(begin, len(bare)):
        c = bare[at]
        if depth == 0 and c in ",)":
            arguments.append(code[begin:at].strip())
            begin = at + 1
            if c == ")":
                return arguments
        depth += (c in "([{") - (c in ")]}")
    return None


def is_harmless(expression, is_fortran=False):
    """Whether evaluating it changes nothing and calls nothing. A call of a function pointer, (*f)(1), and an element of
    a Fortran array, f(1), cannot be told from what is harmless: the debugger must refuse calls itself."""
    changes = r"(?<![=/<>])=(?![=>])" if is_fortran else r"\+\+|--|<<=|>>=|(?<![=!<>])=(?!=)|[A-Za-z_0-9\]]\s*\("
    return not re.search(changes, re.sub(r"\bsizeof\s*\(", "(", expression))

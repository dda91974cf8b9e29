"""Reports on a terminal: lines fit it, what is longer than the screen goes through a pager, and scripts get what they always got.

    terminal_test.py DDTSCOPE REPORTERS
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
trace = reporters / "trace/testdata/v5/uses_openmpi"
judged = reporters / "trace/testdata/v6/judged_openmpi"
COLOURS = re.compile(r"\033\[[0-9;]*m")


# The terminal is hung up when the process ends that it belongs to, and what nobody has read by then can be lost.
PATIENT_OWNER = ["sh", "-c", r'"$@"; printf "\1%d\1" $?; read forever', "sh"]
END = re.compile(rb"\x01(\d+)\x01")


def start(*words, columns=80, rows=24, errors=None, owner=(), **settings):
    """The command on a terminal of that size: (its process, our end). Its stderr is `errors`, a file, or the terminal, which
    belongs to the command, or to the `owner` that runs it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    env = {"PATH": os.environ["PATH"], "TERM": "xterm", **settings}
    process = subprocess.Popen([*owner, command, *map(str, words)], stdin=theirs, stdout=theirs, stderr=errors or theirs, start_new_session=True,
                               env={name: value for name, value in env.items() if value is not None},
                               preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
    os.close(theirs)
    return process, ours


def read_to_end(ours):
    text = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # nobody has the other end any more
            return text.decode().replace("\r\n", "\n")
        if not piece:
            return text.decode().replace("\r\n", "\n")
        text += piece


def on_terminal(*words, by=(), pause=0, **how):
    """(status, text); without the progress that a terminal is told of on stderr where the machine is slow. `by` starts the
    command; nothing is read for a `pause` of seconds."""
    with tempfile.TemporaryFile() as errors:
        process, ours = start(*words, errors=errors, owner=[*PATIENT_OWNER, *by], **how)
        time.sleep(pause)
        text = b""
        while not (end := END.search(text)) and select.select([ours], [], [], 60)[0]:
            text += os.read(ours, 65536)
        os.close(ours)
        process.wait(timeout=60)
        errors.seek(0)
        return int(end[1]), text[:end.start()].decode().replace("\r\n", "\n") + errors.read().decode()


def piped(*words, **settings):
    result = subprocess.run([command, *map(str, words)], capture_output=True, text=True, timeout=60, check=False,
                            env={"PATH": os.environ["PATH"], "TERM": "xterm", **settings})
    return result.returncode, result.stdout


def widest(text):
    return max(len(COLOURS.sub("", line)) for line in text.split("\n"))


def words_of(text):
    return COLOURS.sub("", text).split()


def check_widths():
    for verb in ("summary", "types", "check", "uses", "show"):
        words = (verb, judged) + (("T1",) if verb == "show" else ())
        status, long = piped(*words)
        expect(piped(*words, COLUMNS="40") == (status, long), f"{verb}: no terminal has no width")
        for columns in (40, 80, 200):
            found, text = on_terminal(*words, "--no-pager", columns=columns)
            expect(found == status and widest(text) <= columns, f"{verb}: {widest(text)} columns of {columns}, status {found}, not {status}")
            wide, whole = on_terminal(*words, "--no-pager", "--wide", columns=columns)
            expect((wide, COLOURS.sub("", whole)) == (status, long), f"{verb} --wide, {columns} columns: another text than in a pipe: {wide} {whole}")
        expect(widest(on_terminal(*words, "--no-pager", columns=200, COLUMNS="60")[1]) <= 60, f"{verb}: COLUMNS counts before the terminal")
    found, text = on_terminal("uses", trace, "--no-pager", columns=60)
    expect("..." in text and widest(piped("uses", trace)[1]) > 60, "rows of tables end with dots")
    # Of prose no word is lost.
    for columns in (40, 80, 200):
        found, text = on_terminal("explain", "never-freed", "--no-pager", columns=columns)
        prose = text.split("Example")[0]
        expect(found == 0 and words_of(prose) == words_of(piped("explain", "never-freed")[1].split("Example")[0]),
               f"explain, {columns} columns: {prose}")
        expect("..." not in prose and widest(prose) <= columns, f"explain, {columns} columns: {prose}")
    _, text = on_terminal("show", "MPI_Type_create_hindexed_block(1, 1, {9223372036854775807}, MPI_DOUBLE)", "--no-pager", columns=30)
    expect(widest(text) <= 30, f"words that are longer than the line: {text}")
    # A terminal that does not make who writes wait, as other programs leave it.
    at_once = "import os, sys; os.dup2(os.open('/dev/tty', os.O_RDWR | os.O_NONBLOCK), 1); os.execv(sys.argv[1], sys.argv[1:])"
    many = ("show", "MPI_Type_vector(3000, 1, 2, MPI_INT)", "--typemap", "3000")
    long = piped(*many)[1]
    found, text = on_terminal(*many, "--no-pager", "--wide", by=[sys.executable, "-c", at_once], pause=1)
    expect(len(long) > 20000 and found == 0 and COLOURS.sub("", text) == long, f"{found}, {len(text)} of {len(long)} bytes: {text[-100:]}")
    json_text = piped("types", trace, "--json")[1]
    expect(on_terminal("types", trace, "--json", "--no-pager", columns=40)[1] == json_text, "JSON is never cut")


def check_pager(here):
    pager = here / "pager"
    told = here / "told"
    pager.write_text(f"#!/bin/sh\necho \"$LESS\" > '{told}'\necho paged\nexec cat\n")
    pager.chmod(0o755)
    expected = piped("check", judged)
    status, text = on_terminal("check", judged, "--wide", rows=10, DDTSCOPE_PAGER=str(pager), PAGER="/nowhere")
    expect(status == expected[0] and COLOURS.sub("", text) == "paged\n" + expected[1], f"a pager gets all, and the status is the verb's: {status}, {text[:300]}")
    expect(told.read_text() == "FRX\n", f"LESS is {told.read_text()!r}")
    on_terminal("check", judged, rows=10, PAGER=str(pager), LESS="X")
    expect(told.read_text() == "X\n", "LESS that is set stays")
    for what, how in {"it fits the screen": {"rows": 5000}, "--no-pager": {}, "no TERM": {"TERM": None}, "a dumb one": {"TERM": "dumb"},
                      "cat": {"DDTSCOPE_PAGER": "cat"}, "an empty one": {"DDTSCOPE_PAGER": ""}, "none is there": {"DDTSCOPE_PAGER": "/nowhere/pager"}}.items():
        if what == "none is there" and "DDTSCOPE_EMULATED" in os.environ:
            continue  # what cannot be started is something that ends with 127 there
        how = {"rows": 10, "DDTSCOPE_PAGER": str(pager), **how}
        words = ["--no-pager"] if what == "--no-pager" else []
        status, text = on_terminal("check", judged, "--wide", *words, **how)
        expect((status, COLOURS.sub("", text)) == expected, f"no pager, {what}: {status}, {text[:200]}")
    expect(piped("check", judged, DDTSCOPE_PAGER=str(pager)) == expected, "no pager in a pipe")
    status, text = on_terminal("check", judged, rows=10, DDTSCOPE_PAGER="sed -e 's/^/> /' | head -n 3")
    expect(status == expected[0] and text.count("\n") == 3 and all(line.startswith("> ") for line in text.splitlines()), f"by a shell: {text}")
    # Who leaves early does no harm.
    status, text = on_terminal("types", trace, "--json", rows=5, DDTSCOPE_PAGER="head -n 1")
    expect(status == 0 and text.count("\n") == 1 and "ddtscope:" not in text, f"a pager that ends: {status}, {text[:200]}")


def check_signals(here):
    """The command waits for its pager, whatever is typed at it; it ends by SIGTERM."""
    ready = here / "ready"
    pager = here / "patient"
    pager.write_text(f"#!/bin/sh\ntrap 'echo interrupted' INT\ntouch '{ready}'\nread line\nwhile [ ! -e '{here}/go' ]; do sleep 0.05; done\necho end\n")
    pager.chmod(0o755)

    def wait_for_pager(*words):
        process, ours = start(*(words or ("check", judged)), rows=10, DDTSCOPE_PAGER=str(pager))
        end = time.monotonic() + 30
        while not ready.exists() and time.monotonic() < end:
            time.sleep(0.02)
        return process, ours

    process, ours = wait_for_pager()
    os.write(ours, b"\x03")
    text = b""
    while b"interrupted" not in text and select.select([ours], [], [], 30)[0]:
        text += os.read(ours, 4096)
    expect(process.poll() is None, "the command ends before its pager")
    (here / "go").touch()
    text = text.decode() + read_to_end(ours)
    status = process.wait(timeout=60)
    expect(status == 1 and text.rstrip().endswith("end"), f"after an interrupt: {status}, {text!r}")
    os.close(ours)

    (here / "go").unlink()
    ready.unlink()
    process, ours = wait_for_pager()
    process.send_signal(signal.SIGTERM)
    expect(process.wait(timeout=30) == -signal.SIGTERM, "SIGTERM ends it")
    (here / "go").touch()
    read_to_end(ours)
    os.close(ours)

    # Who has left the pager may interrupt what is still worked out.
    ready.unlink()
    pager.write_text(f"#!/bin/sh\ntouch '{ready}'\n")
    process, ours = wait_for_pager("show", "MPI_Type_vector(2000000000, 1, 2, MPI_INT)", "--typemap", "2000000000")
    for _ in range(300):
        process.send_signal(signal.SIGINT)
        if process.poll() is not None:
            break
        time.sleep(0.1)
    expect(process.poll() == -signal.SIGINT, f"the pager is gone, and nothing interrupts the command: {process.poll()}")
    process.kill()
    process.wait()
    os.close(ours)


check_widths()
with tempfile.TemporaryDirectory() as name:
    check_pager(pathlib.Path(name))
    check_signals(pathlib.Path(name))
finish()

"""Pages in a real browser: they load without a complaint, do what they offer by mouse and keyboard, draw what the typemap
says, stay harmless whatever a trace calls its types, and, where axe-core is at hand, break no rule of accessibility.

    page_test.py DDTSCOPE REPORTERS [AXE]       AXE: axe.min.js of the npm package axe-core
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from browser import Browser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from checks import expect, failures, finish

command, reporters = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
axe = pathlib.Path(sys.argv[3]).read_text() if len(sys.argv) > 3 and os.path.exists(sys.argv[3]) else None
golden = reporters / "trace/testdata"


def run(*arguments):
    return subprocess.run([command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def report(trace, page):
    result = run("report", trace, "-o", page)
    assert result.returncode == 0 and result.stdout == "", f"report {trace}: {result.returncode} {result.stderr}"
    return page


def is_quiet(browser, what):
    expect(browser.complaints == [], f"{what}: the console says {browser.complaints[:3]}")
    fetched = [url for url in browser.requests if not url.startswith("file:") and url != "about:blank"]
    expect(fetched == [], f"{what}: asks the network for {fetched}")
    browser.complaints.clear()
    browser.requests.clear()


def has_no_violations(browser, what):
    if axe is None:
        return
    browser.call("Runtime.evaluate", expression=axe)
    found = browser.ask("""axe.run({resultTypes: ['violations']}).then((result) =>
        result.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120) + ' ' + n.failureSummary).join(' | ')))""")
    expect(found == [], f"{what}: accessibility: {found}")


def trace_of(folder, definitions, names=(), program="/nowhere/app", module="/nowhere/app"):
    """A trace of one rank by hand; a definition is (combiner, constructor, contents, bounds): all that a reader needs."""
    header = json.loads((golden / "v1/hand/rank-0.jsonl").read_text().split("\n")[0])
    header.update(size=1, program=program)
    lines = [header, {"record": "module", "id": 0, "path": module, "build_id": None},
             {"record": "frames", "first": 0, "parent": None, "frames": [[0, 100], [0, 200]]}]
    template = json.loads((golden / "v1/hand/rank-0.jsonl").read_text().split("\n")[3])
    assert template["record"] == "definition"
    for number, (combiner, constructor, contents, bounds) in enumerate(definitions):
        size, lb, extent, true_lb, true_extent = bounds
        lines.append({**template, "id": number, "key": f"{number:016x}", "called": constructor, "combiner": combiner,
                      "constructor": constructor, "contents": contents,
                      "envelope": {f"num_{kind}": len(contents[kind]) for kind in contents}, "size": size, "lb": lb, "extent": extent,
                      "ub": lb + extent, "true_lb": true_lb, "true_extent": true_extent, "true_ub": true_lb + true_extent})
        lines.append({"record": "instances", "definition": number, "called": constructor, "binding": "c",
                      "counts": [[1, 10 + number, 0, 10, 10]]})
    lines += [{"record": "name", "definition": 0, "name": name} for name in names]
    lines.append({"record": "end", "complete": True, "reason": "MPI_Finalize", "ended": "2026-11-21T06:00:01.000Z", "unrecorded": []})
    folder.mkdir()
    def wide(value):  # RFC 7493
        if isinstance(value, dict):
            return {key: wide(part) for key, part in value.items()}
        if isinstance(value, list):
            return [wide(part) for part in value]
        return str(value) if isinstance(value, int) and abs(value) >= 2**53 else value
    (folder / "rank-0.jsonl").write_text("".join(json.dumps(wide(line)) + "\n" for line in lines))
    return folder


def golden_pages(browser, here):
    folders = sorted(path for path in golden.glob("v*/*") if path.is_dir())
    for folder in folders:
        browser.open(report(folder, here / f"{folder.name}.html"))
        is_quiet(browser, folder.name)
        told = json.loads(run("summary", folder, "--json").stdout)
        rows = browser.ask("document.querySelectorAll('#all-types > tbody > tr').length")
        expect(rows == told["definitions"], f"{folder.name}: {rows} rows of {told['definitions']} definitions")
        alarm = browser.ask("document.querySelector('.alarm')?.textContent ?? ''")
        expect(("incomplete" in alarm) == (not told["complete"]), f"{folder.name}: complete {told['complete']}, said {alarm!r}")
        if alarm:
            first = browser.ask("document.querySelector('main section').children[1].className")
            expect(first == "alarm", f"{folder.name}: {first!r} stands before the alarm")
        draws_the_typemap(browser, folder)
        for number in range(1, rows + 1):
            for view in ("rows", "grid", "runs", "tree"):
                browser.ask(f"views.{view}(typeOf({number})).length")
        is_quiet(browser, f"pictures of {folder.name}")


def draws_the_typemap(browser, folder):
    """The layout that the pictures are drawn from, against all bytes of the typemap."""
    types = json.loads(run("types", folder, "--json").stdout)
    for entry in types:
        if int(entry["entries"] or 10**9) > 3000:
            continue
        typemap = json.loads(run("show", folder, entry["id"], "--json", "--typemap", "3000").stdout)["typemap"]
        sizes = browser.ask("data.basics")
        cut = browser.ask(f"data.types[{entry['id'][1:]}].cut === true")
        spans = [(int(at), int(at) + int(sizes[basic]), basic) for basic, at in typemap]
        spans = [span for span in spans if span[0] < span[1]]
        if cut or not spans or max(end for _, end, _ in spans) - min(begin for begin, _, _ in spans) > 10**6:
            continue
        low, high = min(span[0] for span in spans), max(span[1] for span in spans)
        chance = random.Random(entry["key"])
        windows = [(low - 3, high + 3)] + [tuple(sorted((chance.randint(low - 3, high + 3), chance.randint(low - 3, high + 3)))) for _ in range(40)]
        wanted = []
        for begin, end in windows:
            touched = sum(max(0, min(end, to) - max(begin, at)) for at, to, _ in spans)
            later = [max(begin, at) for at, to, _ in spans if to > begin]
            under = sorted({basic for at, to, basic in spans if at <= begin < to})
            wanted.append([str(touched), str(min(later)) if later else None, under])
        got = browser.ask(f"""{json.dumps(windows)}.map(([begin, end]) => {{
            const layout = typeOf({entry['id'][1:]}).layout;
            const next = layout.next(BigInt(begin));
            return [String(layout.touched(BigInt(begin), BigInt(end))), next === null ? null : String(next), layout.at(BigInt(begin))?.type ?? null];
        }})""")
        for window, want, have in zip(windows, wanted, got):
            same = want[:2] == have[:2] and (have[2] in want[2] if want[2] else have[2] is None)
            expect(same, f"{folder.name} {entry['id']} {entry['constructor']} bytes {window}: {have}, not {want}")


def visible(browser):
    return browser.ask("[...document.querySelectorAll('#all-types > tbody > tr')].filter((r) => !r.hidden && !r.classList.contains('panel')).map((r) => r.id)")


def is_used(browser, here):
    page = report(golden / "v1/demo_halo_openmpi", here / "used.html")
    browser.open(page)
    types = json.loads(run("types", golden / "v1/demo_halo_openmpi", "--json").stdout)
    ids = [entry["id"] for entry in types]
    expect(visible(browser) == ids, "the types stand in their order first")

    sort = "document.querySelector('#all-types thead').rows[0].cells[{}].querySelector('button').{}()"
    browser.ask(sort.format(2, "click"))
    by_size = sorted(ids, key=lambda name: -int(next(t["size"] for t in types if t["id"] == name)))
    expect(visible(browser) == by_size, f"a click on Size sorts by it, the largest first: {visible(browser)}")
    browser.ask(sort.format(2, "focus"))
    browser.press("Enter", 13, "\r")
    expect(visible(browser) == by_size[::-1], "Enter on Size turns the order round")
    expect(browser.ask("document.querySelector('#all-types th[aria-sort]').getAttribute('aria-sort')") == "ascending", "and says so")

    browser.ask("document.getElementById('filter').focus()")
    browser.type("vector")
    vectors = {entry["id"] for entry in types if "vector" in entry["constructor"]}
    expect(vectors and set(visible(browser)) == vectors, f"the filter leaves vectors: {visible(browser)}")
    expect(browser.ask("document.querySelector('.filter output').textContent").startswith(f"{len(vectors)} of {len(ids)} "), "and tells how many")
    browser.ask("(() => { const s = document.getElementById('filter'); s.value = ''; s.dispatchEvent(new Event('input')); const k = document.getElementById('filter-kind'); k.value = '3'; k.dispatchEvent(new Event('change')); })()")
    live = {entry["id"] for entry in types if sum(int(part["live"] or 0) for part in entry["instances"]) > 0}
    expect(live and set(visible(browser)) == live, f"never freed: {visible(browser)}, not {live}")

    # A link opens the type's row though the filter hides it.
    hidden = next(name for name in ids if name not in live)
    browser.ask(f"location.hash = '#{hidden}'; new Promise((done) => setTimeout(done, 100))")
    expect(browser.ask(f"panelOf(document.getElementById('{hidden}')) !== null"), f"a link opens {hidden}")
    expect(visible(browser).count(hidden) == 1, "and shows it")
    browser.press("Enter", 13, "\r")
    expect(not browser.ask(f"panelOf(document.getElementById('{hidden}')) !== null"), "Enter on its button closes it")
    browser.press("Enter", 13, "\r")
    expect(browser.ask("document.activeElement.getAttribute('aria-expanded')") == "true", "and opens it again")

    # The tabs by keyboard.
    tab = "document.querySelector('.panel [role=tab][aria-selected=true]')"
    browser.ask(f"{tab}.focus()")
    before = browser.ask(f"{tab}.textContent")
    browser.press("ArrowRight", 39)
    expect(browser.ask(f"{tab}.textContent") != before, "the right arrow goes to the next picture")
    seen = {browser.ask(f"{tab}.textContent")}
    for _ in range(3):
        browser.press("ArrowRight", 39)
        seen.add(browser.ask(f"{tab}.textContent"))
    expect(seen == {"rows", "grid", "runs", "tree"}, f"the arrows go round all pictures: {seen}")
    is_quiet(browser, "use of the page")
    has_no_violations(browser, "a page in use")


def grid_of_array(browser, here):
    """A subarray of a C array: the picture has the user's indices."""
    trace = trace_of(here / "array", [
        ("MPI_COMBINER_SUBARRAY", "MPI_Type_create_subarray",
         {"integers": [3, 4, 6, 10, 2, 3, 5, 1, 2, 3, 0], "addresses": [], "large_counts": [], "datatypes": ["MPI_DOUBLE"]},
         (240, 0, 1920, 0, 1920))])
    browser.open(report(trace, here / "array.html"), "#T1")
    expect(browser.ask("typeOf(1).shape.sizes.join()") == "4,6,10", "the array's sizes")
    fills = browser.ask("""(() => { const grid = new GridView(typeOf(1)); const cells = grid.cells; const full = [];
        for (let r = 0n; r < cells.rows; ++r) for (let c = 0n; c < cells.columns; ++c)
          if (cells.fill(r, c, 1n, 1n) === 'all') full.push(cells.index(r, c));
        return full; })()""")
    wanted = [f"[{i}][{j}][{k}]" for i in (1, 2) for j in (2, 3, 4) for k in range(3, 8)]
    expect(fills == wanted, f"the cells of the subarray: {fills}")
    expect(browser.ask("document.querySelector('.panel [role=tab][aria-selected=true]').textContent") == "grid", "an array is shown as a grid")
    # Pointing and zooming by keyboard.
    browser.ask("document.querySelector('.panel canvas').focus()")
    status = "document.querySelector('.panel .status').textContent"
    expect(browser.ask(status).startswith("All of it"), "all is shown first")
    browser.press("+", 187, "+")
    expect(browser.ask(status).startswith("Rows "), f"+ zooms in: {browser.ask(status)}")
    before = browser.ask(status)
    browser.press("ArrowLeft", 37)
    expect(browser.ask(status) != before, "the left arrow moves")
    browser.press("0", 48, "0")
    expect(browser.ask(status).startswith("All of it"), "0 shows all")
    browser.ask("(() => { const c = document.querySelector('.panel canvas'); c.scrollIntoView({block: 'center'}); })()")
    place = browser.ask("(() => { const r = document.querySelector('.panel canvas').getBoundingClientRect(); return [r.left + r.width * 3.5 / 10, r.top + r.height * 8.5 / 24]; })()")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    told = browser.ask(status)
    expect(told == "[1][2][3], byte 664: MPI_DOUBLE", f"the cell under the pointer: {told}")
    is_quiet(browser, "a grid")


def immense(browser, here):
    """10^18 entries are drawn as fast as ten."""
    n = 10**9
    contents = lambda integers, addresses, types: {"integers": integers, "addresses": addresses, "large_counts": [], "datatypes": types}
    trace = trace_of(here / "immense", [
        ("MPI_COMBINER_VECTOR", "MPI_Type_vector", contents([n, 1, 2], [], ["MPI_CHAR"]), (n, 0, 2 * n - 1, 0, 2 * n - 1)),
        ("MPI_COMBINER_HVECTOR", "MPI_Type_create_hvector", contents([n, 1], [2 * n], [0]), (n * n, 0, 2 * n * n - 1, 0, 2 * n * n - 1)),
        ("MPI_COMBINER_VECTOR", "MPI_Type_vector", contents([3, 1, 4], [], ["MPI_INT"]), (12, 0, 36, 0, 36))])
    result = json.loads(run("types", trace, "--json").stdout)
    expect(result[1]["entries"] == str(n * n), f"the type has 10^18 entries: {result[1]['entries']}")
    browser.open(report(trace, here / "immense.html"))
    times = {number: browser.ask(f"""(() => {{ const all = []; for (let i = 0; i < 5; ++i) {{ const start = performance.now();
        for (const view of Object.keys(views)) views[view](typeOf({number})); all.push(performance.now() - start); }} return Math.min(...all); }})()""")
             for number in (2, 3)}
    print(f"all pictures of 10^18 entries: {times[2]:.1f} ms; of 3: {times[3]:.1f} ms")
    expect(times[2] < 500, f"the pictures of 10^18 entries take {times[2]} ms")
    got = browser.ask("""(() => { const l = typeOf(2).layout; const n = 10n ** 9n;
        return [l.bytes, l.touched(0n, n * n), l.next(2n * (n - 1n) * n + 1n), l.touched(2n * n * (n - 1n), 2n * n * n)].map(String); })()""")
    expect(got == [str(n * n), str(n * n // 2), str(2 * (n - 1) * n + 2), str(n)], f"exact at 10^18: {got}")
    is_quiet(browser, "immense types")


def hostile(browser, here):
    """What a trace calls things is text, wherever it stands."""
    evil = ["</script><script>window.harmed = 1</script>", "<img src=x onerror='window.harmed = 2'>", "\"><svg onload=window.harmed=3>",
            "</code></td></table><a href='javascript:window.harmed=4'>x</a>", "<!--<script>", "\u202egnp.exe\u2028", "{{7*7}}${7*7}`",
            "javascript:window.harmed=5//"]
    for number, name in enumerate(evil):
        trace = trace_of(here / f"hostile{number}", [
            ("MPI_COMBINER_VECTOR", "MPI_Type_vector", {"integers": [3, 4, 2], "addresses": [], "large_counts": [], "datatypes": ["MPI_INT"]},
             (48, 0, 32, 0, 32))], names=[name], program=f"/nowhere/{name}", module=f"/nowhere/{name}")
        browser.open(report(trace, here / f"hostile{number}.html"), "#T1")
        for view in ("rows", "grid", "runs", "tree"):
            browser.ask(f"document.getElementById('{view}-T1').click()")
        expect(browser.ask("window.harmed ?? null") is None, f"{name!r} ran")
        expect(browser.ask("document.querySelectorAll('img, svg, iframe, object, embed, form, base, link, a[href^=javascript]').length") == 0, f"{name!r} became markup")
        expect(browser.ask("document.querySelectorAll('script').length") == 2, f"{name!r} made a script")
        shown = browser.ask("document.querySelector('h1').textContent + document.querySelector('#T1 b').textContent")
        expect(name.split("/")[-1][:20].strip("\u202e\u2028") in shown or number == 5, f"{name!r} is not told: {shown!r}")
        expect("\u202e" not in shown and "\u2028" not in shown, f"{name!r} turns the text round")
        is_quiet(browser, f"a trace with {name!r}")
        has_no_violations(browser, f"a trace with {name!r}")
    # The policy holds by itself: a script or a style that came in all the same would not run.
    blocked = browser.ask("""(async () => { const s = document.createElement('script'); s.textContent = 'window.harmed = 9'; document.body.append(s);
        const d = document.createElement('div'); document.body.append(d); d.innerHTML = '<b onclick="window.harmed = 8" style="color: red">x</b><img src="https://example.org/x.png">';
        d.firstChild.click(); let fetched = true; await fetch('https://example.org/').catch(() => { fetched = false; });
        return [window.harmed ?? null, d.firstChild.style.color, fetched]; })()""")
    expect(blocked[0] is None and blocked[2] is False, f"the policy let something run: {blocked}")
    expect(any("Content Security Policy" in text for text in browser.complaints), "the policy is what stopped it")
    browser.complaints.clear()
    browser.requests.clear()


def lists_uses(browser, here):
    """Uses of types: a row each, to sort and to filter."""
    trace = golden / "v5/uses_openmpi"
    uses = json.loads(run("uses", trace, "--json").stdout)
    browser.open(report(trace, here / "uses.html"))
    rows = "[...document.querySelectorAll('#all-uses > tbody > tr')]"
    cells = browser.ask(rows + ".map((r) => [...r.cells].map((c) => c.innerText.trim()))")
    wanted = [[use["called"], use["argument"], f"{use['calls']:,}", f"{use['elements']:,}"] for use in uses]
    expect([row[1:5] for row in cells] == wanted, f"the rows are {cells[:3]}, not {wanted[:3]}")
    expect(all(row[0].split(" ")[0] == use["type"] for row, use in zip(cells, uses)), f"of types {[row[0] for row in cells]}")
    browser.ask("document.querySelectorAll('#all-uses thead button')[3].click()")
    calls = browser.ask(rows + ".map((r) => Number(r.cells[3].innerText.replace(/,/g, '')))")
    expect(calls == sorted((use["calls"] for use in uses), reverse=True), f"sorted by calls: {calls}")
    called = uses[0]["called"]
    browser.ask(f"(() => {{ const s = document.getElementById('uses-filter'); s.value = '{called}'; s.dispatchEvent(new Event('input')); }})()")
    left = browser.ask(rows + ".filter((r) => !r.hidden).map((r) => r.cells[1].innerText)")
    expect(left and len(left) < len(uses) and all(called in one for one in left), f"the filter leaves {left}")
    browser.ask("(() => { const s = document.getElementById('uses-filter'); s.value = ''; s.dispatchEvent(new Event('input'));"
                " const k = document.getElementById('uses-filter-kind'); k.value = '2'; k.dispatchEvent(new Event('change')); })()")
    left = browser.ask(rows + ".filter((r) => !r.hidden).length")
    expect(left == sum(use["type"].startswith("MPI_") for use in uses), f"{left} are of predefined types")
    is_quiet(browser, "uses")
    has_no_violations(browser, "uses")


def flames(browser, here):
    """Flame graphs of lives and of bytes: what a bar says is the sum of what was made, or moved, below it."""
    trace = golden / "v5/uses_openmpi"
    browser.open(report(trace, here / "flames.html"))
    bars = "[...document.querySelectorAll('#flame .bars button')].map((bar) => bar.title)"
    made = sum(lives["created"] + lives["adopted"] for entry in json.loads(run("types", trace, "--json").stdout) for lives in entry["instances"]
               if lives["call_site"])
    told = browser.ask(bars)
    expect(told[0] == f"all: {made:,} types, 100.0 %", f"the root of the lives says {told[:2]}, not {made}")
    sending = {"sendtype", "sendtypes", "origin_datatype", "result_datatype"}
    not_sent = re.compile("mpi_(i?m?recv|precv_init|recv_init|(un)?pack(_external)?|start(all)?|reduce_local)_*", re.IGNORECASE)
    uses = [use for use in json.loads(run("uses", trace, "--json").stdout) if use["call_site"]
            and (use["argument"] in sending or use["argument"] == "datatype" and not not_sent.fullmatch(use["called"]))]
    moved = sum(int(use["bytes"]) for use in uses)
    browser.ask("(() => { const k = document.getElementById('flame-kind'); k.value = '1'; k.dispatchEvent(new Event('change')); })()")
    told = browser.ask(bars)
    expect(moved > 0 and told[0] == f"all: {moved:,} bytes, 100.0 %", f"the root of the bytes says {told[:2]}, not {moved}")
    # Of what main() called itself nothing lies above: its bar holds all, and a click widens another one.
    widths = browser.ask("[...document.querySelectorAll('#flame .bars button')].map((bar) => bar.getBoundingClientRect().width)")
    expect(len(told) > 2 and widths[0] == max(widths), f"bars {told[:5]} as wide as {widths[:5]}")
    browser.ask("document.querySelectorAll('#flame .bars button')[2].focus()")
    name = browser.ask("document.activeElement.title")
    browser.press("Enter", 13, "\r")
    expect(browser.ask("[document.activeElement.className, document.activeElement.title]") == ["shown", name], "Enter widens a bar, which keeps the focus")
    expect("the bytes moved below it" in browser.ask("document.querySelector('#flame .legend').textContent"), "the legend says what is wide")
    # Of functions that were inlined each is a bar, the outermost above.
    named = here / "named"
    shutil.copytree(trace, named)
    header, *lines = map(json.loads, (named / "rank-0.jsonl").read_text().splitlines())
    module = next(line for line in lines if line["record"] == "module" and "uses" in line["path"])
    offset = next(frame["offset"] for entry in json.loads(run("types", trace, "--json").stdout) for lives in entry["instances"]
                  for frame in lives["call_site"] if frame["module"] == module["path"])
    location = {"offset": offset, "function": "within", "inlined_into": ["middle", "outside"], "file": None, "line": None}
    (named / "symbols.json").write_text(json.dumps({"format": "ddtscope-symbols", "version": 1, "job": header["job"], "modules": [
        {"path": module["path"], "build_id": module["build_id"], "locations": [location]}]}))
    browser.open(report(named, here / "named.html"))
    told = [bar.split(":")[0] for bar in browser.ask(bars)]
    levels = [browser.ask(f"parseFloat([...document.querySelectorAll('#flame .bars button')][{told.index(name)}].style.top)") for name in
              ("outside", "middle", "within") if name in told]
    expect(len(levels) == 3 and levels == sorted(set(levels)), f"inlined functions: {told} at {levels}")
    # The large table leaves the address out where the function is known; that of call sites has it.
    rows = browser.ask("[...document.querySelectorAll('#all-types > tbody > tr')].map((r) => r.cells[10].textContent.trim())")
    sites = browser.ask("[...document.querySelectorAll('#sites > tbody > tr')].map((r) => r.cells[0].textContent)")
    place = f"within ({module['path'].rsplit('/', 1)[-1]}+{offset:#x}), inlined into middle, inlined into outside"
    expect("within, inlined into middle, inlined into outside" in rows and place in sites, f"places {rows}, {sites}")
    is_quiet(browser, "flame graphs")
    has_no_violations(browser, "flame graphs")


def tells_of_calls(browser, here):
    """What is wrong with calls is told with its place and the other party; also of a job that made no type."""
    for trace in (golden / "v6/judged_openmpi", golden / "v7/pending_openmpi", untyped(here)):
        found = json.loads(run("check", trace, "--json").stdout)["findings"]
        page = report(trace, here / f"calls-{trace.name}.html")
        browser.open(page)
        rows = browser.ask("[...document.querySelectorAll('#findings tbody tr')].map((r) => r.textContent)")
        for finding in found:
            words = [finding["severity"], finding["message"], "called in" if finding["argument"] or finding["id"] == "failed-call" else "made in"]
            if finding["other"]:
                words.append("freed in" if finding["id"] == "freed-type" else f"{finding['other']['called']} in")
            expect(any(all(word in row for word in words) for row in rows), f"{trace.name}: {words} are not told in {rows}")
            # In the type's row and panel, too.
            if re.fullmatch(r"T\d+", finding["type"] or ""):
                told = browser.ask(f"[...document.getElementById('{finding['type']}').cells].find((cell) => cell.dataset.v)?.textContent ?? ''")
                expect(finding["severity"] in told, f"{trace.name}: the row of {finding['type']} has {told!r}, not {finding['severity']}")
                panel = browser.ask(f"panelContent({finding['type'][1:]}).textContent")
                expect(finding["message"] in panel, f"{trace.name}: the panel of {finding['type']} lacks {finding['message']}")
        is_quiet(browser, f"calls of {trace.name}")
    expect(len(found) == 1 and found[0]["id"] == "null-type", f"of a job without types: {found}")
    expect(any(finding["other"] for finding in json.loads(run("check", golden / "v7/pending_openmpi", "--json").stdout)["findings"]), "another party")
    has_no_violations(browser, "a job without types")


def untyped(here):
    """A job that makes no type and passes a null one."""
    folder = here / "untyped"
    folder.mkdir()
    lines = [json.loads(line) for line in (golden / "v6/judged_openmpi/rank-0.jsonl").read_text().splitlines()]
    lines = [line for line in lines if line["record"] in ("header", "module", "frames", "finding", "finding_count", "end")]
    lines[0]["size"] = 1
    for line in lines:
        if line["record"] == "finding":
            line.update(finding="null-type", type=None, message="MPI_Pack got MPI_DATATYPE_NULL.")
    (folder / "rank-0.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def compares(browser, here):
    """The page of a comparison: sortable, quiet, harmless, usable."""
    vector = ("MPI_COMBINER_VECTOR", "MPI_Type_vector")
    evil = "<img src=x onerror='window.harmed = 2'>"
    def job(label, blocklength):
        contents = {"integers": [3, blocklength, 2], "addresses": [], "large_counts": [], "datatypes": ["MPI_INT"]}
        true_extent = (4 + blocklength) * 4
        return trace_of(here / label, [(*vector, contents, (12 * blocklength, 0, true_extent, 0, true_extent))], names=[evil], program=f"/nowhere/{evil}")
    old, new = job("before", 2), job("after", 4)
    # Other arguments have another key.
    text = (new / "rank-0.jsonl").read_text()
    (new / "rank-0.jsonl").write_text(text.replace("0" * 16, "f" * 16))
    result = run("diff", old, new, "-o", here / "diff.html")
    expect(result.returncode == 1 and result.stdout == "" and result.stderr == "", f"diff -o: {result}")
    for scheme in ("light", "dark"):
        browser.prefer(scheme)
        browser.open(here / "diff.html")
        told = browser.ask("document.body.innerText")
        expect("entries-overlap" in told and "arguments" in told and evil in told, f"the page tells what changed: {told[:600]}")
        browser.ask("document.querySelector('#changed-types thead button').click()")
        expect(browser.ask("document.querySelector('#changed-types th').getAttribute('aria-sort')") == "ascending", "its tables sort")
        expect(browser.ask("window.harmed ?? document.querySelectorAll('img').length") == 0, "a comparison is harmless")
        is_quiet(browser, "a comparison")
        expect("different programs" not in told, "one program is told as two")
        has_no_violations(browser, f"a comparison, {scheme}")
    browser.prefer("light")


def compares_programs(browser, here):
    """Different programs, one of them killed: the page says so before what it could join; numbers have commas."""
    constructors, halo, killed = (golden / "v1" / name for name in ("constructors_mpich", "demo_halo_openmpi", "killed_openmpi"))
    many = here / "many"
    shutil.copytree(halo, many)
    for file in many.glob("*.jsonl"):
        file.write_text(re.sub(r'"counts":\[\[(\d+),\d+,', r'"counts":[[\1,1234567,', file.read_text()))
    for old, new, said in ((constructors, halo, ["different programs", "only old"]), (killed, halo, ["incomplete"]), (halo, many, ["2,469,134"])):
        run("diff", old, new, "-o", here / "programs.html")
        browser.open(here / "programs.html")
        told = browser.ask("document.body.innerText")
        expect(all(words in told for words in said), f"{old.name}, {new.name}: {said} are not told in {told[:800]}")
        alarms = browser.ask("[...document.querySelectorAll('main section')][0].children[1].className")
        expect((alarms == "alarm") == (said != ["2,469,134"]), f"{old.name}, {new.name}: {alarms} comes first")
        is_quiet(browser, f"{old.name} and {new.name}")
    browser.open(report(many, here / "many.html"))
    lives = browser.ask("[...document.querySelectorAll('#all-types > tbody > tr')].map((r) => r.cells[8].textContent)")
    expect(any(len(live) > 8 and live[1] == "," for live in lives), f"lives have commas: {lives}")
    browser.ask("(() => { const k = document.getElementById('filter-kind'); k.value = '3'; k.dispatchEvent(new Event('change')); })()")
    expect(len(visible(browser)) == sum(live != "0" for live in lives), f"those never freed are {visible(browser)}")


def without_scripts(browser, here):
    page = here / "used.html"
    browser.without_scripts()
    browser.open(page)
    text = browser.ask("document.body.innerText")
    for entry in json.loads(run("types", golden / "v1/demo_halo_openmpi", "--json").stdout):
        expect(entry["id"] in text and entry["constructor"] in text, f"without scripts {entry['id']} is not told")
    expect("Never freed" in text and "complete: all" in text, "without scripts the summary is not told")
    expect(browser.ask("document.querySelectorAll('main button').length") == 0, "without scripts there are buttons that do nothing")
    browser.without_scripts(False)
    browser.complaints.clear()


def looks(browser, here):
    """No width makes the page scroll sideways, in no scheme is text hard to read."""
    for name in ("used", "constructors_mpich", "killed_openmpi", "immense"):
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            for width in (360, 1280):
                browser.resize(width, 800)
                browser.open(here / f"{name}.html")
                browser.ask("document.querySelectorAll('.open').forEach((button, i) => { if (i < 4) button.click(); }); document.querySelectorAll('details').forEach((d) => { d.open = true; })")
                over = browser.ask("document.documentElement.scrollWidth - innerWidth")
                expect(over <= 0, f"{name} at {width}: {over} pixels too wide")
                has_no_violations(browser, f"{name}, {scheme}, {width}")
    browser.prefer("light", "print")
    expect(browser.ask("getComputedStyle(document.querySelector('nav')).display") == "none", "the navigation is printed")
    # As wide as the smaller of usual papers, lying: nothing is cut off.
    browser.resize(980, 700)
    for name in ("used", "constructors_mpich", "immense", "uses", "diff"):
        browser.open(here / f"{name}.html")
        browser.ask("document.querySelectorAll('.open').forEach((button, i) => { if (i < 4) button.click(); })")
        over = browser.ask("Math.max(...[...document.querySelectorAll('main table')].map((table) => table.getBoundingClientRect().right)) - document.documentElement.clientWidth")
        expect(over <= 1, f"{name} on paper: a table is {over} pixels too wide")
    browser.prefer("light")
    # What is closed is open on paper, and closed again afterwards.
    browser.open(here / "used.html")
    closed = "document.querySelectorAll('details.kind:not([open])').length"
    before = browser.ask(closed)
    browser.ask(f"addEventListener('beforeprint', () => {{ window.closedOnPaper = {closed}; }})")
    browser.call("Page.printToPDF")
    expect(before > 0 and browser.ask("window.closedOnPaper") == 0, f"closed on paper: {browser.ask('window.closedOnPaper')} of {before}")
    expect(browser.ask(closed) == before, "and afterwards")
    is_quiet(browser, "looks")


with tempfile.TemporaryDirectory() as name, Browser() as chromium:
    place = pathlib.Path(name)
    chromium.resize(1280, 900)
    for part in (golden_pages, is_used, grid_of_array, immense, hostile, lists_uses, flames, tells_of_calls, compares, compares_programs, without_scripts, looks):
        part(chromium, place)

finish("with axe-core; " if axe else "axe-core is not here: accessibility was not checked; ")

"""Lines of traces against trace.schema.json. jsonschema is the judge; of the many that are right fastjsonschema says so
first, where it is installed, in a tenth of the time (trace_schema_test.py holds it against the judge)."""
import functools
import json

import jsonschema

try:
    import fastjsonschema
except ImportError:
    fastjsonschema = None


class TraceSchema:
    """By kinds of records, of which the schema has one for each line: all others' conditions need not be tried."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as source:
            self.whole = json.load(source)
        jsonschema.Draft202012Validator.check_schema(self.whole)
        self.kinds = {part["if"]["properties"]["record"]["const"]: part["then"] for part in self.whole["allOf"]}

    def problem_of(self, line):
        """Why a line is not valid; None where it is."""
        kind = self.kind_of(line)
        if kind and self.is_plainly_valid(kind, line):
            return None
        error = jsonschema.exceptions.best_match(self.judge_of(kind).iter_errors(line))
        return error and f"{error.message[:300]} at {list(error.absolute_path)}: {str(line)[:200]}"

    def is_valid(self, line):
        kind = self.kind_of(line)
        return (kind and self.is_plainly_valid(kind, line)) or self.judge_of(kind).is_valid(line)

    def kind_of(self, line):
        """None of one that the schema does not know."""
        kind = line.get("record")
        return kind if isinstance(kind, str) and kind in self.kinds else None

    def validate(self, line):
        problem = self.problem_of(line)
        if problem:
            raise ValueError(f"not valid: {problem}")

    def is_plainly_valid(self, kind, line):
        """False where only the judge can tell."""
        check = self.check_of(kind)
        if check is None:
            return False
        try:
            check(line)
            return True
        except fastjsonschema.JsonSchemaValueException:
            return False

    @functools.lru_cache(maxsize=None)
    def judge_of(self, kind):
        if kind is None:
            return jsonschema.Draft202012Validator(self.whole)
        return jsonschema.Draft202012Validator({**self.kinds[kind], "$defs": self.whole["$defs"]})

    @functools.lru_cache(maxsize=None)
    def check_of(self, kind):
        if fastjsonschema is None:
            return None
        draft = {"$schema": "http://json-schema.org/draft-07/schema#"}
        return fastjsonschema.compile({**draft, **as_draft_7({**self.kinds[kind], "$defs": self.whole["$defs"]})})


TYPES = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}


def as_draft_7(schema):
    """What says the same in the draft that fastjsonschema knows. Formats are not checked, as jsonschema does not."""
    if isinstance(schema, list):
        return [as_draft_7(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    words = {}
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if values and "type" not in schema:  # true is no 1
        words["type"] = sorted({TYPES[type(value)] for value in values})
    for word, value in schema.items():
        if word in ("const", "enum"):
            words[word] = value
        elif word in ("properties", "$defs"):
            words[word] = {name: as_draft_7(part) for name, part in value.items()}
        elif word not in ("format", "default", "title", "description"):
            words[word] = as_draft_7(value)
    if "prefixItems" in words:
        if "items" in words:
            words["additionalItems"] = words["items"]
        words["items"] = words.pop("prefixItems")
    if "dependentRequired" in words:
        words["dependencies"] = words.pop("dependentRequired")
    if "$ref" in words and set(words) != {"$ref", "$defs"} and len(words) > 1:  # what stands beside it says nothing there
        beside = {word: words.pop(word) for word in list(words) if word != "$defs"}
        words["allOf"] = [{"$ref": beside.pop("$ref")}, beside]
    return words

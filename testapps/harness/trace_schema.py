"""Lines of traces against trace.schema.json. jsonschema is the judge; of the many that are right fastjsonschema says so
first, where it is installed, in a tenth of the time (trace_schema_test.py holds it against the judge)."""
import functools
import importlib.util
import json

# Each test that runs a job asks for this, and rarely for both: they are imported where they are used.
HAS_SHORT_WAY = importlib.util.find_spec("fastjsonschema") is not None


class TraceSchema:
    """By kinds of records, of which the schema has one for each line: all others' conditions need not be tried."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as source:
            self.whole = json.load(source)
        self.kinds = {part["if"]["properties"]["record"]["const"]: part["then"] for part in self.whole["allOf"]}

    def problem_of(self, line):
        """Why a line is not valid; None where it is."""
        if self.is_valid(line):
            return None
        from jsonschema.exceptions import best_match  # pylint: disable=import-outside-toplevel

        error = best_match(self.judge_of(self.kind_of(line)).iter_errors(line))
        return f"{error.message[:300]} at {list(error.absolute_path)}: {str(line)[:200]}"

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
        return HAS_SHORT_WAY and self.check_of(kind)(line)

    @functools.lru_cache(maxsize=None)
    def judge_of(self, kind):
        from jsonschema import Draft202012Validator  # pylint: disable=import-outside-toplevel

        return Draft202012Validator(self.whole if kind is None else {**self.kinds[kind], "$defs": self.whole["$defs"]})

    @functools.cached_property
    def definitions_in_draft_7(self):
        return {name: as_draft_7(part) for name, part in self.whole["$defs"].items()}

    @functools.lru_cache(maxsize=None)
    def check_of(self, kind):
        import fastjsonschema  # pylint: disable=import-outside-toplevel

        draft = {"$schema": "http://json-schema.org/draft-07/schema#", "$defs": self.definitions_in_draft_7}
        validate = fastjsonschema.compile({**draft, **as_draft_7(self.kinds[kind])})

        def is_valid(line):
            try:
                validate(line)
                return True
            except fastjsonschema.JsonSchemaValueException:
                return False

        return is_valid


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
        elif word == "properties":
            words[word] = {name: as_draft_7(part) for name, part in value.items()}
        elif word not in ("format", "default", "title", "description"):
            words[word] = as_draft_7(value)
    if "prefixItems" in words:
        if "items" in words:
            words["additionalItems"] = words["items"]
        words["items"] = words.pop("prefixItems")
    if "dependentRequired" in words:
        words["dependencies"] = words.pop("dependentRequired")
    if "$ref" in words and len(words) > 1:  # what stands beside it says nothing there
        return {"allOf": [{"$ref": words.pop("$ref")}, words]}
    return words

"""Bodies and parameters as openapi.yaml describes them: right ones, and right ones with something wrong in them."""

from values import LITERALS, NUMBERS, TEXTS_QUOTED, quoted


class Grammar:
    """What the description of the native and the admin API says about requests."""

    def __init__(self, document):
        self.document = document
        self.operations = {}
        for path, item in document["paths"].items():
            shared = item.get("parameters", [])
            for method, operation in item.items():
                if method in ("get", "post", "put", "patch", "delete"):
                    self.operations[method.upper(), path] = {
                        "parameters": [self.resolve(one) for one in shared + operation.get("parameters", [])],
                        "schema": self._body(operation),
                    }

    def _body(self, operation):
        content = self.resolve(operation.get("requestBody") or {}).get("content", {})
        for kind, described in content.items():
            if "json" in kind:
                return described.get("schema")
        return None

    def resolve(self, value):
        """What a reference stands for."""
        while isinstance(value, dict) and "$ref" in value:
            node = self.document
            for name in value["$ref"].removeprefix("#/").split("/"):
                node = node[name.replace("~1", "/")]
            value = node
        return value

    def value(self, schema, values, depth=0):
        """JSON bytes: mostly what the schema wants."""
        schema = self.resolve(schema) or {}
        if values.random() < 0.06:
            return values.json(depth)
        for name in ("oneOf", "anyOf"):
            if name in schema:
                return self.value(values.one(schema[name]), values, depth + 1)
        if "allOf" in schema:
            return self.value(self.joined(schema["allOf"]), values, depth)
        if "enum" in schema:
            one = values.one(schema["enum"])
            return quoted(one.encode()) if isinstance(one, str) else str(one).lower().encode()
        kind = schema.get("type")
        if isinstance(kind, list):
            kind = values.one(kind)
        if kind == "object" or "properties" in schema:
            return self.members(schema, values, depth)
        if kind == "array":
            count = int(values.random() * 4)
            return b"[" + b",".join([self.value(schema.get("items"), values, depth + 1) for _ in range(count)]) + b"]"
        if kind in ("integer", "number"):
            return values.one(NUMBERS)
        if kind == "boolean":
            return values.one(LITERALS[1:3])
        if kind == "string":
            return values.one(TEXTS_QUOTED)
        return values.json(depth)

    def joined(self, schemas):
        """Several schemas as one."""
        whole = {"type": "object", "properties": {}, "required": []}
        for schema in schemas:
            schema = self.resolve(schema)
            whole["properties"] |= schema.get("properties", {})
            whole["required"] += schema.get("required", [])
        return whole

    def members(self, schema, values, depth):
        """An object: its members, without some, with doubles and strangers."""
        required, members = schema.get("required", []), []
        if depth < 5:
            for name, described in schema.get("properties", {}).items():
                draw = values.random()
                if draw < (0.97 if name in required else 0.4):
                    members.append(quoted(name.encode()) + b":" + self.value(described, values, depth + 1))
                    if draw < 0.005:
                        members.append(members[-1])
        if schema.get("additionalProperties") and depth < 5 or values.random() < 0.04:
            for _ in range(int(values.random() * 4)):
                members.append(values.quoted() + b":" + values.json(depth + 1))
        return b"{" + b",".join(members) + b"}"

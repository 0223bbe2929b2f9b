"""What the fixture's tools are made to ask, and what clients answer."""


def form(properties=None, required=None, message="Fill in"):
    """A form; by default one that asks for a text."""
    schema = {"type": "object", "properties": properties or {"text": {"type": "string", "minLength": 1}}}
    schema["required"] = list(schema["properties"]) if required is None else required
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def url(address="https://example.com/sign-in"):
    return {"method": "elicitation/create", "params": {"mode": "url", "message": "Sign in", "url": address}}


def sampling(**more):
    message = {"role": "user", "content": {"type": "text", "text": "Say hello"}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 10, **more}}


ROOTS = {"method": "roots/list"}
TOOLS = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}


def questions(**asked):
    """Arguments that make the tool `ask` ask these, by key."""
    return {"questions": [{"key": key, "request": request} for key, request in asked.items()]}


def accept(**content):
    """What a user answers who fills in a form."""
    return {"action": "accept", "content": content}


AGREED = {"action": "accept"}
DECLINED = {"action": "decline"}
ROOTS_ANSWER = {"roots": [{"uri": "file:///home", "name": "home"}]}


def sampled(text="Hello."):
    """What a model says."""
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m", "stopReason": "endTurn"}


EVERYTHING = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}, "context": {}}, "roots": {}}


def answer(question):
    """What a willing client answers to a question."""
    method, params = question["method"], question.get("params", {})
    if method == "roots/list":
        return ROOTS_ANSWER
    if method == "sampling/createMessage":
        return sampled()
    if params.get("mode") == "url":
        return AGREED
    values = {"string": "yes please", "boolean": True, "integer": 3, "number": 1.5, "array": []}
    properties = params["requestedSchema"]["properties"]
    return accept(**{name: schema.get("enum", [values[schema["type"]]])[0] for name, schema in properties.items()})

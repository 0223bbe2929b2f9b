"""What the client of the replay says: the same in each revision, as far as the revision has words for it."""

from dataclasses import dataclass, field

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
MODERN = REVISIONS[-1]
CLIENT = {"name": "replay", "version": "1.0.0"}

# What the client answers when the server asks.
ANSWERS = {
    "elicitation/create": {"action": "accept", "content": {"name": "Ada"}},
    "elicitation/create url": {"action": "accept"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "Word."}, "model": "none"},
    "roots/list": {"roots": [{"uri": "file:///some/where"}]},
}


def answer_to(request):
    """What the client answers to a request of the server's, in either era."""
    mode = " url" if request.get("params", {}).get("mode") == "url" else ""
    return ANSWERS[request["method"] + mode]


@dataclass
class Step:
    """One request. `meta` goes into its `_meta`; `also` is a notification that must come, perhaps after the answer;
    `stream` is a request whose answer does not come: it is over once `also` has come. `http` is whether HTTP has the
    same: there, what belongs to no request comes on another stream."""

    name: str
    method: str
    params: dict = field(default_factory=dict)
    meta: dict = field(default_factory=dict)
    also: str | None = None
    stream: bool = False
    http: bool = True


def capabilities(revision):
    """All that a client of the revision can declare."""
    declared = {"sampling": {}, "roots": {}}
    if revision >= "2025-06-18":
        declared["elicitation"] = {"form": {}, "url": {}} if revision >= "2025-11-25" else {}
    return declared


def envelope(revision):
    """The `_meta` that every request of the newest revision has."""
    key = "io.modelcontextprotocol/"
    return {
        f"{key}protocolVersion": revision,
        f"{key}clientInfo": CLIENT,
        f"{key}clientCapabilities": capabilities(revision),
    }


def begin(revision):
    if revision == MODERN:
        return Step("begin", "server/discover")
    params = {"protocolVersion": revision, "capabilities": capabilities(revision), "clientInfo": CLIENT}
    return Step("begin", "initialize", params)


def call(name, tool, arguments=None, **more):
    return Step(name, "tools/call", {"name": tool, "arguments": arguments or {}}, **more)


def steps(revision):
    """All requests, in their order."""
    modern = revision == MODERN
    yield begin(revision)
    yield from lists()
    yield from calls(modern)
    yield from reads_and_prompts(revision)
    yield from changes(modern)
    yield from faults(modern)


def lists():
    for kind in "tools", "resources", "resources/templates", "prompts":
        yield Step(f"list {kind}", f"{kind}/list")
    yield Step("list from a cursor that is not ours", "tools/list", {"cursor": "bogus"})


def calls(modern):
    yield call("a structured result", "weather", {"city": "Oslo"})
    yield call("an array", "array")
    yield call("a number, without an output schema", "number")
    yield call("contents of all kinds", "contents")
    yield call("a failing tool", "failing")
    yield call("an error of the protocol", "broken")
    yield call("bad arguments", "weather", {"city": "O", "days": 8})
    yield call("a missing argument", "weather")
    yield call("an unknown tool", "no_such_tool")
    yield call("without asking for reports", "report")
    if not modern:
        yield Step("set the level of logs", "logging/setLevel", {"level": "info"})
    asked = {"io.modelcontextprotocol/logLevel": "info"} if modern else {}
    yield call("with progress and logs", "report", meta={"progressToken": "t-1", **asked})
    yield call("asking the user", "ask_user")
    yield call("asking the user to visit a page", "ask_visit")
    yield call("asking the model", "ask_model")
    yield call("asking for roots", "ask_roots")


def reads_and_prompts(revision):
    for uri in "note://hello", "note://bytes", "note://of/J%C3%BCrgen", "note://of/nobody", "note://nothing":
        yield Step(f"read {uri}", "resources/read", {"uri": uri})
    yield Step("get a prompt", "prompts/get", {"name": "greet", "arguments": {"name": "Ada"}})
    yield Step("get a prompt without its argument", "prompts/get", {"name": "greet"})
    yield Step("get an unknown prompt", "prompts/get", {"name": "no_such_prompt"})
    prompt, template = {"type": "ref/prompt", "name": "greet"}, {"type": "ref/resource", "uri": "note://of/{name}"}
    context = {"context": {"arguments": {"language": "Latin"}}} if revision >= "2025-06-18" else {}
    for name, ref in ("prompt", prompt), ("template", template):
        yield Step(f"complete an argument of a {name}", "completion/complete",
                   {"ref": ref, "argument": {"name": "name", "value": "A"}, **context})  # fmt: skip
    yield Step("complete an argument of nothing", "completion/complete",
               {"ref": {**prompt, "name": "no_such_prompt"}, "argument": {"name": "name", "value": "A"}})  # fmt: skip


def changes(modern):
    """A resource that changes, before those who watch it."""
    updated = "notifications/resources/updated"
    if modern:
        wanted = {"notifications": {"resourceSubscriptions": ["note://hello"]}}
        yield Step("watch a resource", "subscriptions/listen", wanted, stream=True,
                   also="notifications/subscriptions/acknowledged", http=False)  # fmt: skip
        yield call("change it", "touch", also=updated, http=False)
    else:
        yield Step("watch a resource", "resources/subscribe", {"uri": "note://hello"}, http=False)
        yield call("change it", "touch", also=updated, http=False)
        yield Step("watch it no more", "resources/unsubscribe", {"uri": "note://hello"}, http=False)


def faults(modern):
    yield Step("ping", "ping")
    yield Step("a bad level of logs", "logging/setLevel", {"level": "loud"})
    yield Step("a method that nobody has", "no/such/method")
    yield Step("a call without a name", "tools/call", {"arguments": {}}, http=not modern)  # HTTP has no header for it

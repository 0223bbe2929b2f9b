"""What each message of a server looks like in each revision, written down by hand from the specification: required
members, their types, and what may stand beside them."""

from . import definition_shapes, question_shapes
from .shape import (
    ANY, COUNT, INTEGER, NUMBER, OPEN, TEXT, TRUTH, URI, any_of, array, each, one_of, ref, shape, where,
)  # fmt: skip

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
LEGACY = REVISIONS[:4]
MODERN = REVISIONS[4]

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
CACHING = {"ttlMs": COUNT, "cacheScope": one_of("public", "private")}
COMPLETE = {"resultType": {"const": "complete"}}
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
ON_SUBSCRIPTION = {"_meta": shape({SUBSCRIPTION_ID: ref("RequestId")})}
SERVER_INFO = {"io.modelcontextprotocol/serverInfo": ref("Implementation")}

# The method of each list, and the definition of what it lists.
LISTS = {
    "tools/list": ("tools", "Tool"),
    "prompts/list": ("prompts", "Prompt"),
    "resources/list": ("resources", "Resource"),
    "resources/templates/list": ("resourceTemplates", "ResourceTemplate"),
}
# Methods whose complete results say how long they are good for.
CACHEABLE = {"server/discover", "resources/read", *LISTS}
# Methods that may ask before they answer.
ASKING = {"tools/call", "prompts/get", "resources/read"}
FILTER = shape(
    {},
    {
        **dict.fromkeys(("toolsListChanged", "promptsListChanged", "resourcesListChanged"), {"const": True}),
        "resourceSubscriptions": array(URI, least=1),
    },
)


class Shapes:
    """The shapes of one revision."""

    def __init__(self, revision):
        self.revision = revision
        self.modern = revision == MODERN
        self.definitions = {
            "RequestId": {"type": ["string", "integer"]},
            **definition_shapes.definitions(self.since),
            **question_shapes.definitions(self.since),
        }
        # The result of each method that there is.
        self.results = self._results()
        # The parameters of each notification of a server's.
        self.notifications = self._notifications()
        # The parameters of each request of a server's: in the modern era inside of a result.
        self.questions = {
            "sampling/createMessage": ref("SamplingParams"),
            "roots/list": ref("RootsParams"),
        }
        if self.since("2025-06-18"):
            modes = ["FormParams"] + ["UrlParams"] * self.since("2025-11-25")
            self.questions["elicitation/create"] = any_of(*map(ref, modes))
        # The data of each code that is the protocol's own. Every other code of its range is forbidden.
        self.errors = self._errors()

    def since(self, revision):
        return self.revision >= revision

    def _results(self):
        found = {
            "tools/call": self._result(
                "tools/call",
                {"content": array(ref("ContentBlock"))},
                {"isError": TRUTH,
                 **where(self.since("2025-06-18"), structuredContent=ANY if self.modern else OPEN)},
            ),
            "prompts/get": self._result("prompts/get", {"messages": array(ref("PromptMessage"))}, {"description": TEXT}),
            "resources/read": self._result("resources/read", {"contents": array(ref("ResourceContents"))}),
            "completion/complete": self._result(
                "completion/complete",
                {"completion": shape({"values": {**array(TEXT), "maxItems": 100}}, {"total": COUNT, "hasMore": TRUTH})},
            ),
        }  # fmt: skip
        for method, (member, kind) in LISTS.items():
            found[method] = self._result(method, {member: array(ref(kind))}, {"nextCursor": TEXT})
        capabilities = self._capabilities()
        if self.modern:
            versions = {"supportedVersions": array(one_of(*REVISIONS), least=1), "capabilities": capabilities}
            found["server/discover"] = self._result("server/discover", versions, {"instructions": TEXT})
            ended = shape({SUBSCRIPTION_ID: ref("RequestId")}, SERVER_INFO)
            found["subscriptions/listen"] = shape({**COMPLETE, "_meta": ended})
            return found
        hello = {
            "protocolVersion": {"const": self.revision},
            "capabilities": capabilities,
            "serverInfo": ref("Implementation"),
        }
        found["initialize"] = self._result("initialize", hello, {"instructions": TEXT})
        for method in ("ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"):
            found[method] = self._result(method)
        return found

    def _result(self, method, required=None, optional=None):
        meta = {"_meta": shape({}, where(self.modern, **SERVER_INFO), others=ANY)}
        cacheable = where(self.modern and method in CACHEABLE, **CACHING)
        complete = shape(
            {**where(self.modern, **COMPLETE), **cacheable, **(required or {})}, {**(optional or {}), **meta}
        )
        return any_of(complete, self._input_required(meta)) if self.modern and method in ASKING else complete

    def _input_required(self, meta):
        question = any_of(
            *(shape({"method": {"const": method}, "params": params}) for method, params in (
                ("elicitation/create", any_of(ref("FormParams"), ref("UrlParams"))),
                ("sampling/createMessage", ref("SamplingParams")),
            )),
            shape({"method": {"const": "roots/list"}}, {"params": ref("RootsParams")}),
        )  # fmt: skip
        return shape(
            {"resultType": {"const": "input_required"}},
            {"inputRequests": {**each(question), "minProperties": 1}, "requestState": {**TEXT, "minLength": 1}, **meta},
        )

    def _capabilities(self):
        changing = {"listChanged": TRUTH}
        return shape(
            {},
            {
                "tools": shape({}, changing),
                "prompts": shape({}, changing),
                "resources": shape({}, {**changing, "subscribe": TRUTH}),
                "logging": shape(),
                **where(self.since("2025-03-26"), completions=shape()),
                **where(self.since("2025-11-25"), extensions=each(OPEN)),
            },
        )

    def _notifications(self):
        token = {"progressToken": ref("RequestId"), "progress": NUMBER}
        subscribed = ON_SUBSCRIPTION if self.modern else {}
        changed = shape(subscribed)
        found = {
            "notifications/progress": shape(token, {"total": NUMBER, **where(self.since("2025-03-26"), message=TEXT)}),
            "notifications/message": shape({"level": one_of(*LEVELS), "data": ANY}, {"logger": TEXT}),
            "notifications/cancelled": shape({"requestId": ref("RequestId")}, {"reason": TEXT}),
            "notifications/resources/updated": shape({"uri": URI, **subscribed}),
            "notifications/tools/list_changed": changed,
            "notifications/prompts/list_changed": changed,
            "notifications/resources/list_changed": changed,
        }
        if self.modern:
            found["notifications/subscriptions/acknowledged"] = shape({**ON_SUBSCRIPTION, "notifications": FILTER})
        elif self.since("2025-11-25"):
            found["notifications/elicitation/complete"] = shape({"elicitationId": TEXT})
        return found

    def _errors(self):
        if not self.modern:
            return {-32002: shape({"uri": TEXT})}
        versions = {"supported": array(one_of(*REVISIONS), least=1), "requested": TEXT}
        return {
            -32020: None,
            -32021: shape({"requiredCapabilities": {**OPEN, "minProperties": 1}}),
            -32022: shape(versions),
        }

    def error(self):
        """An answer that is an error."""
        error = shape({"code": INTEGER, "message": {**TEXT, "minLength": 1}}, {"data": ANY})
        envelope = {"jsonrpc": {"const": "2.0"}, "error": error}
        id = {"id": ref("RequestId")}
        # Up to 2025-06-18 no error stands without the id of its request.
        return shape(envelope, id) if self.since("2025-11-25") else shape({**envelope, **id})


SHAPES = {revision: Shapes(revision) for revision in REVISIONS}

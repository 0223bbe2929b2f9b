"""What each message of a server with tools looks like in revision 2026-07-28, written down by hand from the
specification: required members, their types, and what may stand beside them."""

ANY = True
TEXT = {"type": "string"}
TRUTH = {"type": "boolean"}
NUMBER = {"type": "number"}
OPEN = {"type": "object"}
BASE64 = {"type": "string", "format": "byte"}


def one_of(*values):
    return {"enum": list(values)}


def ref(name):
    return {"$ref": "#/$defs/" + name}


def array(items):
    return {"type": "array", "items": items}


def shape(required, optional=None, others=False):
    """An object with these members; `others` says what any other member must be."""
    members = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "properties": members, "additionalProperties": others}


def request_error(code, data=None):
    error = {"code": {"const": code}, "message": TEXT}
    error = shape({**error, "data": data}) if data else shape(error, {"data": ANY})
    return shape({"jsonrpc": {"const": "2.0"}, "error": error}, {"id": ref("RequestId")})


def response(result):
    return shape({"jsonrpc": {"const": "2.0"}, "id": ref("RequestId"), "result": result})


def notification(method, params):
    return shape({"jsonrpc": {"const": "2.0"}, "method": {"const": method}, "params": params})


def content(kind, required, optional=None):
    beside = {"annotations": ref("Annotations"), "_meta": OPEN, **(optional or {})}
    return shape({"type": {"const": kind}, **required}, beside)


CACHING = {"ttlMs": {"type": "integer", "minimum": 0}, "cacheScope": one_of("public", "private")}
COMPLETE = {"resultType": {"const": "complete"}}
RESOURCE = {"name": TEXT, "title": TEXT, "description": TEXT, "mimeType": TEXT, "size": NUMBER, "icons": array(ref("Icon"))}
ON_SUBSCRIPTION = shape({"io.modelcontextprotocol/subscriptionId": ref("RequestId")})

DEFINITIONS = {
    "RequestId": {"type": ["string", "integer"]},
    "Icon": shape({"src": TEXT}, {"mimeType": TEXT, "sizes": array(TEXT), "theme": one_of("light", "dark")}),
    "Implementation": shape(
        {"name": TEXT, "version": TEXT},
        {"title": TEXT, "description": TEXT, "websiteUrl": TEXT, "icons": array(ref("Icon"))},
    ),
    "ResultMeta": shape({}, {"io.modelcontextprotocol/serverInfo": ref("Implementation")}, others=ANY),
    "Annotations": shape(
        {},
        {
            "audience": array(one_of("user", "assistant")),
            "priority": {"type": "number", "minimum": 0, "maximum": 1},
            "lastModified": TEXT,
        },
    ),
    "ContentBlock": {
        "anyOf": [
            content("text", {"text": TEXT}),
            content("image", {"data": BASE64, "mimeType": TEXT}),
            content("audio", {"data": BASE64, "mimeType": TEXT}),
            content("resource_link", {"uri": TEXT, "name": TEXT}, RESOURCE),
            content("resource", {"resource": ref("ResourceContents")}),
        ]
    },
    "ResourceContents": {
        "anyOf": [
            shape({"uri": TEXT, held: kind}, {"mimeType": TEXT, "annotations": ref("Annotations"), "_meta": OPEN})
            for held, kind in (("text", TEXT), ("blob", BASE64))
        ]
    },
    "Tool": shape(
        {"name": TEXT, "inputSchema": shape({"type": {"const": "object"}}, others=ANY)},
        {
            "title": TEXT,
            "description": TEXT,
            "icons": array(ref("Icon")),
            "outputSchema": OPEN,
            "annotations": shape(
                {},
                {
                    "title": TEXT,
                    "readOnlyHint": TRUTH,
                    "destructiveHint": TRUTH,
                    "idempotentHint": TRUTH,
                    "openWorldHint": TRUTH,
                },
            ),
            "_meta": OPEN,
        },
    ),
    "JSONRPCResultResponse": response(shape({"resultType": TEXT}, others=ANY)),
    "JSONRPCErrorResponse": shape(
        {
            "jsonrpc": {"const": "2.0"},
            "error": shape({"code": {"type": "integer"}, "message": TEXT}, {"data": ANY}),
        },
        {"id": ref("RequestId")},
    ),
    "DiscoverResultResponse": response(
        shape(
            {
                **COMPLETE,
                **CACHING,
                "supportedVersions": array(TEXT),
                "capabilities": shape({}, {"tools": shape({}, {"listChanged": TRUTH}), "logging": OPEN}),
            },
            {"instructions": TEXT, "_meta": ref("ResultMeta")},
        )
    ),
    "ListToolsResultResponse": response(
        shape({**COMPLETE, **CACHING, "tools": array(ref("Tool"))}, {"nextCursor": TEXT, "_meta": ref("ResultMeta")})
    ),
    "CallToolResultResponse": response(
        shape(
            {**COMPLETE, "content": array(ref("ContentBlock"))},
            {"structuredContent": ANY, "isError": TRUTH, "_meta": ref("ResultMeta")},
        )
    ),
    "SubscriptionsListenResultResponse": response(
        shape(
            {
                **COMPLETE,
                "_meta": shape(
                    {"io.modelcontextprotocol/subscriptionId": ref("RequestId")},
                    {"io.modelcontextprotocol/serverInfo": ref("Implementation")},
                ),
            }
        )
    ),
    "HeaderMismatchError": request_error(-32020),
    "MissingRequiredClientCapabilityError": request_error(-32021, shape({"requiredCapabilities": OPEN})),
    "UnsupportedProtocolVersionError": request_error(-32022, shape({"supported": array(TEXT), "requested": TEXT})),
    "ProgressNotification": notification(
        "notifications/progress",
        shape({"progressToken": ref("RequestId"), "progress": NUMBER}, {"total": NUMBER, "message": TEXT}),
    ),
    "LoggingMessageNotification": notification(
        "notifications/message",
        shape(
            {
                "level": one_of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"),
                "data": ANY,
            },
            {"logger": TEXT},
        ),
    ),
    "ToolListChangedNotification": notification("notifications/tools/list_changed", shape({"_meta": ON_SUBSCRIPTION})),
    "SubscriptionsAcknowledgedNotification": notification(
        "notifications/subscriptions/acknowledged",
        shape({"_meta": ON_SUBSCRIPTION, "notifications": shape({}, {"toolsListChanged": TRUTH})}),
    ),
    "CancelledNotification": notification("notifications/cancelled", shape({"requestId": ref("RequestId")}, {"reason": TEXT})),
}

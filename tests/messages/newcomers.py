"""What came into the protocol after its first revision: the Python package has one set of types for the whole older era,
those of its newest revision, and would let all of this pass in an older one."""

# By the path of a member; `*` is an element of an array, and a path that begins so is the end of one.
MEMBERS = {
    "2025-03-26": [
        "/result/tools/*/annotations",
        "/result/capabilities/completions",
        "/params/message",  # of a progress notification
    ],
    "2025-06-18": [
        "/result/tools/*/title",
        "/result/tools/*/outputSchema",
        "/result/tools/*/_meta",
        "/result/structuredContent",
        "/result/content/*/_meta",
        "/result/content/*/resource/_meta",
        "/result/contents/*/_meta",
        "/result/resources/*/title",
        "/result/resources/*/_meta",
        "/result/resourceTemplates/*/title",
        "/result/resourceTemplates/*/_meta",
        "/result/prompts/*/title",
        "/result/prompts/*/arguments/*/title",
        "/result/prompts/*/_meta",
        "/result/messages/*/content/_meta",
        "/result/messages/*/content/resource/_meta",
        "/result/serverInfo/title",
        "*/annotations/lastModified",
    ],
    "2025-11-25": [
        "/result/tools/*/icons",
        "/result/tools/*/execution",
        "/result/content/*/icons",
        "/result/messages/*/content/icons",
        "/result/resources/*/icons",
        "/result/resourceTemplates/*/icons",
        "/result/prompts/*/icons",
        "/result/serverInfo/description",
        "/result/serverInfo/icons",
        "/result/serverInfo/websiteUrl",
        "/params/mode",  # of an elicitation
        "/params/url",
        "/params/elicitationId",
        "/params/tools",  # of a sampling
        "/params/toolChoice",
    ],
}
# By the `type` of a content block.
CONTENT = {"2025-03-26": ["audio"], "2025-06-18": ["resource_link"]}
# Where a path goes into what the server's author has written, and names mean nothing.
AUTHORS = {"inputSchema", "outputSchema", "requestedSchema", "structuredContent", "_meta", "data"}


def too_new(revision, message):
    """What a message has that its revision does not know yet."""
    later = [pattern for since, patterns in MEMBERS.items() if since > revision for pattern in patterns]
    kinds = {kind for since, some in CONTENT.items() if since > revision for kind in some}
    for path, value in parts(message, ""):
        if any(path.endswith(one[1:]) if one[0] == "*" else path == one for one in later):
            yield f"{path} is of a later revision"
        if path.endswith("/type") and value in kinds:
            yield f"{path}: {value} is of a later revision"


def parts(value, path):
    """Each member of the protocol, however deep, with its path."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield f"{path}/{name}", one
            if name not in AUTHORS:
                yield from parts(one, f"{path}/{name}")
    elif isinstance(value, list):
        for one in value:
            yield from parts(one, f"{path}/*")

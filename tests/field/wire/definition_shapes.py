"""What tools, resources, prompts and content look like in each revision."""

from .shape import ANY, BASE64, COUNT, OPEN, TEXT, TRUTH, URI, any_of, array, one_of, ref, shape, where

ROLE = one_of("user", "assistant")


def definitions(since):
    """The shapes for one revision; `since` tells whether it is as new as another."""
    titles, icons = since("2025-06-18"), since("2025-11-25")
    meta = where(titles, _meta=OPEN)
    described = {**where(titles, title=TEXT), "description": TEXT, **where(icons, icons=array(ref("Icon"))), **meta}
    annotated = {"annotations": ref("Annotations"), **meta}
    found = {
        "Implementation": shape(
            {"name": TEXT, "version": TEXT},
            {
                **where(titles, title=TEXT),
                **where(icons, description=TEXT, websiteUrl=URI, icons=array(ref("Icon"))),
            },
        ),
        "Annotations": shape(
            {},
            {
                "audience": array(ROLE),
                "priority": {"type": "number", "minimum": 0, "maximum": 1},
                **where(since("2025-06-18"), lastModified=TEXT),
            },
        ),
        "Tool": _tool(since, described),
        "Resource": shape(
            {"uri": URI, "name": TEXT},
            {**described, "mimeType": TEXT, "size": COUNT, "annotations": ref("Annotations")},
        ),
        "ResourceTemplate": shape(
            {"uriTemplate": TEXT, "name": TEXT}, {**described, "mimeType": TEXT, "annotations": ref("Annotations")}
        ),
        "Prompt": shape({"name": TEXT}, {**described, "arguments": array(ref("PromptArgument"))}),
        "PromptArgument": shape({"name": TEXT}, {**where(titles, title=TEXT), "description": TEXT, "required": TRUTH}),
        "PromptMessage": shape({"role": ROLE, "content": ref("ContentBlock")}),
        "ResourceContents": any_of(
            *(
                shape({"uri": URI, held: kind}, {"mimeType": TEXT, **where(titles, **annotated)})
                for held, kind in (("text", TEXT), ("blob", BASE64))
            )
        ),
        "ContentBlock": any_of(*_blocks(since, annotated, described)),
    }
    if icons:
        found["Icon"] = shape({"src": URI}, {"mimeType": TEXT, "sizes": array(TEXT), "theme": one_of("light", "dark")})
    return found


def _tool(since, described):
    hints = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
    any_object = shape({"type": {"const": "object"}}, others=ANY)
    output = OPEN if since("2026-07-28") else any_object
    return shape(
        {"name": TEXT, "inputSchema": any_object},
        {
            **described,
            **where(since("2025-06-18"), outputSchema=output),
            **where(since("2025-03-26"), annotations=shape({}, {"title": TEXT, **dict.fromkeys(hints, TRUTH)})),
        },
    )


def block(kind, required, optional=None):
    return shape({"type": {"const": kind}, **required}, optional)


def _blocks(since, annotated, described):
    yield block("text", {"text": TEXT}, annotated)
    yield block("image", {"data": BASE64, "mimeType": TEXT}, annotated)
    yield block("resource", {"resource": ref("ResourceContents")}, annotated)
    if since("2025-03-26"):
        yield block("audio", {"data": BASE64, "mimeType": TEXT}, annotated)
    if since("2025-06-18"):
        yield block(
            "resource_link", {"uri": URI, "name": TEXT}, {**described, **annotated, "mimeType": TEXT, "size": COUNT}
        )

"""Which capability a client must have declared to be asked a question."""


def undeclared(message, capabilities):
    """The name of the capability that `message` needs and that is not among `capabilities`; None when all is well."""
    params = message.get("params", {})
    needed = {
        "roots/list": ["roots"],
        "sampling/createMessage": ["sampling"],
        "elicitation/create": ["elicitation", "url" if params.get("mode") == "url" else "form"],
    }[message["method"]]
    if needed == ["sampling"] and ("tools" in params or "toolChoice" in params):
        needed = ["sampling", "tools"]
    if needed == ["elicitation", "form"] and capabilities.get("elicitation") == {}:
        # One that names no mode takes forms.
        return None
    for name in needed:
        if not isinstance(capabilities, dict) or name not in capabilities:
            return ".".join(needed)
        capabilities = capabilities[name]
    return None

"""Parses recorded messages of the older era with the types of the Python package `mcp` 1.x: types_v1.py FOLDER."""

import pathlib
import sys

import conversations
import tally
from mcp import types
from pydantic import ValidationError

RESULTS = {
    "initialize": types.InitializeResult,
    "ping": types.EmptyResult,
    "logging/setLevel": types.EmptyResult,
    "tools/list": types.ListToolsResult,
    "tools/call": types.CallToolResult,
    "resources/list": types.ListResourcesResult,
    "resources/templates/list": types.ListResourceTemplatesResult,
    "resources/read": types.ReadResourceResult,
    "resources/subscribe": types.EmptyResult,
    "resources/unsubscribe": types.EmptyResult,
    "prompts/list": types.ListPromptsResult,
    "prompts/get": types.GetPromptResult,
    "completion/complete": types.CompleteResult,
}


def wrong_with(sent):
    message = sent.message
    if sent.kind == "error":
        # What HTTP refuses has an error "that has no id" (basic/transports), for which the package has no type.
        message = {"id": 0, **message}
    try:
        types.JSONRPCMessage.model_validate(message)
        match sent.kind:
            case "result":
                if sent.method not in RESULTS:
                    return ["the package knows no such request"]
                RESULTS[sent.method].model_validate(message["result"])
            case "notification":
                types.ServerNotification.model_validate(inner(message))
            case "request":
                types.ServerRequest.model_validate(inner(message))
    except ValidationError as error:
        return [f"{'/'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
    return []


def inner(message):
    return {name: value for name, value in message.items() if name in ("method", "params")}


messages = conversations.read(pathlib.Path(sys.argv[1]))
tally.judge_all("mcp 1", [sent for sent in messages if sent.revision != conversations.MODERN], wrong_with)

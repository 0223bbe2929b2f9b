"""From a function to its shape: for tools, for prompts and for templates of resources."""

from __future__ import annotations

from .context_parameter import is_context
from .text_shapes import describe_prompt, describe_template
from .tool import describe_tool

__all__ = ["describe_prompt", "describe_template", "describe_tool", "is_context"]

"""What a function's signature says to clients: names, descriptions and schemas, and how its arguments are made.

Nothing here imports pydantic, inspect or dataclasses before an annotation needs pydantic.
"""

from .describe import describe_prompt, describe_template, describe_tool
from .shape import Parameter, PromptArgument, Result, Shape

__all__ = ["Parameter", "PromptArgument", "Result", "Shape", "describe_prompt", "describe_template", "describe_tool"]

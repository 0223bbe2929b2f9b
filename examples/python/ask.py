"""ask: an MCP server in Python whose tool asks the user.

    pip install libmcp
    python ask.py            for a client that starts it as its child

`order_pizza` asks which size, then whether the price is right, and then orders. It never waits for an answer: where one is
not there yet, `elicit` leaves the function, and the library calls it again, from its beginning, once the answer is there.
That serves clients of every revision, those that are asked by requests and those that find the question in a result.
"""

from itertools import count
from typing import Literal

from libmcp import Context, Server

SIZE = {"type": "object", "properties": {"size": {"type": "string", "enum": ["small", "large"]}}, "required": ["size"]}
YES_OR_NO = {"type": "object", "properties": {}}  # a form without fields
prices = count(9)  # they rise each time that somebody looks

server = Server("ask", "1.0.0")


@server.tool
async def order_pizza(pizza: Literal["margherita", "funghi", "diavola"], ctx: Context) -> str:
    """Orders a pizza, once the user agrees to size and price"""
    size = await ctx.elicit("Which size?", SIZE, key="size")
    if size.action != "accept":
        return "The user does not want a pizza."

    # Looked up once, and kept for the rounds to come: the user pays the price that was shown.
    price = ctx.memo("price", lambda: next(prices))
    order = f"{size.data['size']} {pizza}"
    consent = await ctx.elicit(f"A {order} is {price} euros. Order it?", YES_OR_NO, key="consent")
    if consent.action != "accept":
        return "The user found it too dear."

    # The effect: not twice for one order, however often its client repeats a round.
    if not ctx.once("order"):
        return f"The {order} for {price} euros was ordered before."
    return f"Ordered: a {order} for {price} euros."


if __name__ == "__main__":
    server.run()  # until the client closes our input

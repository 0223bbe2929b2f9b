"""progress: an MCP server in Python with a tool that takes long, says how far it is, and can be stopped.

    pip install libmcp
    python progress.py       for a client that starts it as its child

The function is an ordinary one and blocks its thread; the server has others, and answers meanwhile.
"""

import time

from libmcp import Context, Server

server = Server("progress", "1.0.0")


@server.tool
def bake(cakes: int, ctx: Context) -> str:
    """Bakes cakes, one after the other

    Args:
        cakes: How many
    """
    for cake in range(cakes):
        if ctx.cancelled:
            return "Nobody waits for the rest."
        ctx.progress(cake, cakes, f"cake {cake + 1} is in the oven")
        time.sleep(0.2)
    ctx.info("The oven is off.")
    return f"{cakes} cakes are done."


if __name__ == "__main__":
    server.run()  # until the client closes our input

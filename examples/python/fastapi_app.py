"""fastapi_app: a FastAPI application that has been there before, and now offers MCP too.

    pip install libmcp fastapi uvicorn
    uvicorn fastapi_app:app          pages on http://127.0.0.1:8000/orders/1, MCP on http://127.0.0.1:8000/mcp
"""

from fastapi import FastAPI, HTTPException
from starlette.routing import Route

from libmcp import Context, Server, ToolError

app = FastAPI()
orders = {1: "on its way", 2: "delivered"}


@app.get("/orders/{number}")
async def show_order(number: int) -> dict[str, str]:
    if number not in orders:
        raise HTTPException(404)
    return {"state": orders[number]}


mcp = Server("shop", "1.0.0")


# A coroutine runs on the application's own loop, so that it may use all that the application has there.
@mcp.tool
async def order_state(number: int, ctx: Context) -> str:
    """Says where an order is"""
    if number not in orders:
        raise ToolError(f"There is no order {number}.")
    print(f"asked by {ctx.request['client'][0]}")
    return orders[number]


# `app.mount("/mcp", mcp.asgi())` does as well, but FastAPI answers /mcp with a redirect to /mcp/ then.
app.routes.append(Route("/mcp", mcp.asgi()))

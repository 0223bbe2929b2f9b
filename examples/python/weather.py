"""weather: an MCP server in Python.

    pip install libmcp
    python weather.py stdio          for a client that starts it as its child
    python weather.py http [PORT]    for clients that connect (port 8080; 0: any free one)

It offers three tools: `forecast` answers at once with structured content, `track_storm` takes half a second and
reports progress, `switch_radar` adds and removes a fourth tool.
"""

import asyncio
import sys

from libmcp import Context, Server

SKIES = ("sunny", "cloudy", "rain", "snow")

server = Server("weather", "1.0.0", instructions="Ask `forecast` for the weather of a city.")


# The library has checked the arguments before it calls a function: a client that asks for nine days gets an error that
# its model understands, and we never see it.
@server.tool(
    title="Weather forecast",
    input_schema={
        "type": "object",
        "properties": {
            "city": {"type": "string", "minLength": 1, "maxLength": 60, "description": "City name"},
            "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How many days, 3 unless given"},
        },
        "required": ["city"],
    },
)
def forecast(city: str, days: int = 3) -> dict[str, object]:
    """The weather of the next days in a city"""
    seeds = [len(city) + day for day in range(1, days + 1)]
    return {
        "city": city,
        "days": [
            {"day": day, "sky": SKIES[seed % 4], "high_c": 10.0 + seed * 7 % 15} for day, seed in enumerate(seeds, 1)
        ],
    }


@server.tool
async def track_storm(storm: str, ctx: Context) -> str:
    """Follows a storm for a while and says where it goes

    Args:
        storm: The storm's name
    """
    for step, found in enumerate(("looking for it", "found it", "measuring it", "it turns", "it is leaving"), 1):
        await ctx.progress(step, 5, found)
        await asyncio.sleep(0.1)  # a client that cancels ends it here
    return "The storm passes 40 km north of the coast."


def radar() -> str:
    """What the radar sees now"""
    return "Two showers, moving east."


# Tools may come and go while clients are connected: those that subscribed are told.
@server.tool
def switch_radar(on: bool) -> str:
    """Switches the radar: while it is on there is one tool more

    Args:
        on: true for on
    """
    if on:
        server.add_tool(radar)
    else:
        server.remove_tool("radar")
    return "The radar is on." if on else "The radar is off."


if __name__ == "__main__":
    if sys.argv[1:] == ["stdio"]:
        server.run()  # until the client closes our input
    elif sys.argv[1:2] == ["http"]:
        server.run("http", port=int(sys.argv[2]) if len(sys.argv) > 2 else 8080)  # until Ctrl-C
    else:
        sys.exit("usage: weather.py stdio | weather.py http [PORT]")

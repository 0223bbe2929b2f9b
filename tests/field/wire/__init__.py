"""The client side of the field tests: bytes to a server through a pipe or a socket, and a strict reader of what comes back."""

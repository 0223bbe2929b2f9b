"""Messages that were damaged on their way."""


def mutated(noise, data):
    """`data` with a few bytes gone, changed, added or swapped; one line still."""
    data = bytearray(data)
    for _ in range(noise.randint(1, 3)):
        at = noise.randrange(len(data))
        kind = noise.randrange(4)
        if kind == 0:
            del data[at : at + noise.randint(1, 5)]
        elif kind == 1:
            data[at] = noise.choice(b'{}[]",:0\\\x00\xff e-')
        elif kind == 2:
            data[at:at] = noise.choice([b"null", b"{}", b'"', b"-1", b"1e999", b"\xf0\x9f\x98\x80", b"\\ud800"])
        else:
            other = noise.randrange(len(data))
            data[at], data[other] = data[other], data[at]
        if not data:
            return b" "
    return bytes(data).replace(b"\n", b" ")

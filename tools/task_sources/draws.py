"""Seeded draws that are the same on every Python: each is a hash of what it is drawn for."""

import hashlib


class Draws:
    """A stream of numbers named by words; two streams never depend on each other."""

    def __init__(self, *names):
        self.name = "/".join(str(name) for name in names)
        self.count = 0

    def whole(self, low, high):
        """A whole number from low to high, both included."""
        self.count += 1
        digest = hashlib.sha256("{}#{}".format(self.name, self.count).encode()).digest()
        return low + int.from_bytes(digest[:8], "big") % (high - low + 1)

    def of(self, items):
        return items[self.whole(0, len(items) - 1)]

    def nonzero(self, low, high):
        while True:
            number = self.whole(low, high)
            if number != 0:
                return number

    def different(self, items, count):
        """`count` different items, in the order drawn."""
        left = list(items)
        return [left.pop(self.whole(0, len(left) - 1)) for _ in range(count)]

"""Random numbers that are the same on every machine and in every Python 3: SplitMix64, integers only."""

MASK = (1 << 64) - 1


def _mix(value):
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


class Rng:
    """One stream for each (seed, stream, index), so that no draw depends on how many others were made."""

    def __init__(self, seed, stream, index):
        self.state = 0
        for part in (seed, stream, index):
            self.state = _mix((self.state + part + 0x9E3779B97F4A7C15) & MASK)

    def below(self, count):
        """An integer in [0, count). The bias of the remainder is below 2**-50 here."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return _mix(self.state) % count

    def chance(self, share):
        """True with probability `share`, to a millionth."""
        return self.below(1000000) < round(share * 1000000)

    def choice(self, items):
        return items[self.below(len(items))]

    def weighted(self, weights):
        """A key of `weights` (key to positive integer), in proportion."""
        left = self.below(sum(weights.values()))
        for key, weight in weights.items():
            left -= weight
            if left < 0:
                return key
        raise AssertionError("weights")

    def sample(self, items, count):
        """`count` different items in random order."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(count)]

"""Random Unicode text for comparisons: scripts, combining marks, joined emoji, controls, runs, words put in odd places."""
RANGES = [(0x20, 0x7E), (0xA1, 0xFF), (0x100, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5F4),
          (0x600, 0x6FF), (0x900, 0x97F), (0xE01, 0xE5B), (0x1100, 0x11FF), (0x1E00, 0x1EFF), (0x2000, 0x206F),
          (0x2070, 0x209C), (0x20A0, 0x20BF), (0x2150, 0x218B), (0x2460, 0x24FF), (0x3040, 0x30FF), (0x4E00, 0x9FFF),
          (0xAC00, 0xD7A3), (0xD780, 0xD7FF), (0xE000, 0xE0FF), (0xF900, 0xFAFF), (0xFB00, 0xFB4F), (0xFE00, 0xFE0F),
          (0xFF00, 0xFFEF), (0xFFF0, 0xFFFD), (0x10000, 0x100FA), (0x10400, 0x1044F), (0x1D400, 0x1D7FF),
          (0x1F300, 0x1F64F), (0x1F900, 0x1F9FF), (0x20000, 0x2A6DF), (0xE0000, 0xE007F), (0x10FF00, 0x10FFFF)]
WHOLE = ["👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "👍🏽", "❤️‍🔥", "é", "é", "ä́", "Å", "ﬃ", "ǆ", "각", "각", "क्षि", "ก็", "ا ُ", "ß", "İ", "ı", "ς", "’s",
         "'s", "'LL", "n't", "'Re", "½", "²", "٣", "Ⅻ", "①", "\u200d", "\u200b", "\ufeff", "\u00ad", "\u2028", "\u0085",
         "\u180e", "\u3000", "\u00a0", "\x00", "\x7f", "\x1c", "\x1f", "\x0b", "\r\n", "\n\n", "\t", "▁", "▁▁", "Ġ", "Ċ", "<0x41>", "##", "</w>",
         "http://a.b/c?d=e&f", "x_1", "CamelCase", "3.14", "1,234,567", "0x7f", "$x^2$", "\\frac{a}{b}", "...", "--", "!?!"]
ENGLISH = "the of and to in is that for it was on are as with his they be at one have this from hello world not Don't I'm".split()


def _piece(rng, words):
    kind = rng.randrange(10)
    if kind < 3:
        return rng.choice(["", " ", " ", "  "]) + rng.choice(ENGLISH)
    if kind == 3:
        return rng.choice(WHOLE)
    if kind == 4:
        low, high = rng.choice(RANGES)
        return "".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 6)))
    if kind == 5:
        return rng.choice([" ", "\n", "\t", "\u00a0", "a", "0", "-", "é", "中", "🙂"]) * rng.choice([1, 2, 3, 5, 17])
    if kind == 6 and words:
        return rng.choice(words)
    if kind == 7:
        return str(rng.randrange(10 ** rng.randint(1, 9)))
    if kind == 8:
        return chr(rng.choice([rng.randint(0, 0x7F), rng.randint(0, 0xD7FF), rng.randint(0xE000, 0x10FFFF)]))
    return "".join(rng.choice("abcdefgh ABC'.,\n ") for _ in range(rng.randint(1, 8)))


def random_text(rng, words=()):
    """A string without surrogates, empty now and then; `words` are mixed in, also glued to what is around them."""
    return "".join(_piece(rng, words) for _ in range(rng.choice([0, 1, 2, 3, 5, 8, 13, 21])))

# What a call between the tests' process and the submission's carries beside values: which object is which, and what the
# call did to the objects that it was given. Without that, tests of "does not change its input" or "returns a new list"
# could not fail. Both sides number the containers of one call in the same order. A container travels as a node (number,
# letter, children); a child is an atom, or (number,). Nodes of known numbers are changes, written into the object there.
ATOMS = frozenset((type(None), bool, int, float, str))
LETTERS = {list: "l", dict: "d", set: "s", tuple: "t", frozenset: "f"}
EMPTY = {"l": list, "d": dict, "s": set, "o": object}  # "o": what is no data, known by its place only
ABSENT = object()


def base_of(value):
    """The builtin type that the value is or derives from."""
    kind = type(value)
    if kind in ATOMS or kind in LETTERS:
        return kind
    for base in mro_of(kind):
        if base in BASES:
            return base
    raise TypeError("not a builtin value: " + kind.__name__)


class Mirror:
    def __init__(self):
        self.objects, self.numbers = [], {}  # objects are held, so that no two of them have one id
        self.lenient = False

    def child(self, value):
        try:
            base = base_of(value)
        except TypeError:
            if not self.lenient:
                raise
            base = object
        if base in ATOMS:
            return plain(value)
        number = self.numbers.get(id(value)) if on("arguments_come_back") else None
        if number is None:
            number = self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return (number,)

    def node(self, number):
        """Contents by the base type's own methods."""
        value = self.objects[number]
        try:
            base = base_of(value)
        except TypeError:
            return number, "o", []
        if base is dict:
            items = [part for pair in dict.items(value) for part in pair]
        else:
            items = list(base.__iter__(value))
        if not ATOMS.issuperset(map(type, items)):
            items = [self.child(item) for item in items]
        return number, LETTERS[base], items

    def new_nodes(self, first):
        """Of everything numbered from `first` on; numbers whatever these hold."""
        nodes = []
        while first < len(self.objects):
            nodes.append(self.node(first))
            first += 1
        return nodes

    def states(self):
        """Bytes that differ when an object's contents do."""
        if not on("arguments_come_back"):
            return [b""] * len(self.objects)
        return [dumps(self.node(number), WIRE_VERSION) for number in range(len(self.objects))]

    def changes(self, states):
        """Nodes of the objects that are no longer in the states they were in. What is no data in them does no harm."""
        self.lenient = True
        if not on("arguments_come_back"):
            return []
        nodes = map(self.node, range(len(states)))
        return [node for node, state in zip(nodes, states) if dumps(node, WIRE_VERSION) != state]

    def take(self, nodes):
        """Makes new objects and writes changes into known ones. Raises whatever malformed nodes lead to."""
        known = len(self.objects)
        self.table = {number: (letter, items) for number, letter, items in nodes}
        new = sorted(number for number in self.table if number >= known)
        if len(self.table) != len(nodes) or new != list(range(known, known + len(new))):
            raise ValueError("no such objects")
        self.objects += [EMPTY.get(self.table[number][0], lambda: ABSENT)() for number in new]
        for number in new:
            self.value((number,))
        for number, (letter, items) in self.table.items():
            if letter in "lds":
                self.fill(number, letter, [self.value(item) for item in items])
            elif number < known:
                raise ValueError("it cannot change")
        self.numbers = {id(value): number for number, value in enumerate(self.objects)}

    def fill(self, number, letter, items):
        target = self.objects[number]
        if LETTERS[base_of(target)] != letter:
            raise TypeError("another type")
        if letter == "l":
            target[:] = items
            return
        target.clear()
        if letter == "s":
            target.update(items)
        for key, item in zip(items[::2], items[1::2]) if letter == "d" else ():
            target[key] = item

    def value(self, child, depth=0):
        if type(child) is not tuple:
            if type(child) not in ATOMS:
                raise TypeError("no child")
            return child
        (number,) = child
        if self.objects[number] is ABSENT:
            letter, items = self.table[number]
            if depth > MAX_DEPTH:
                raise ValueError("nested too deeply")
            kind = {"t": tuple, "f": frozenset}[letter]
            self.objects[number] = kind([self.value(item, depth + 1) for item in items])
        return self.objects[number]


def mirror_call(args, kwargs):
    """(mirror, what travels)."""
    mirror = Mirror()
    children = [mirror.child(value) for value in args], {name: mirror.child(value) for name, value in kwargs.items()}
    return mirror, children + (mirror.new_nodes(0),)


def answer_mirrored(channel, nonce, function, call, limit):
    """As answer(), and before it says what became of the arguments (M) where anything did."""
    mirror = Mirror()
    mirror.take(call[2])
    args, kwargs = [mirror.value(c) for c in call[0]], {name: mirror.value(c) for name, c in call[1].items()}
    states, made = mirror.states(), []
    try:
        status, value = b"V", function()(*args, **kwargs)
    except BaseException as error:
        status, body = b"E", describe(error)
    try:
        if status == b"V":
            body = dumps(mirror.child(value), WIRE_VERSION)
            made = mirror.new_nodes(len(states))
        nodes = made + mirror.changes(states)
        nodes += mirror.new_nodes(len(states) + len(made))
        changes = dumps(nodes, WIRE_VERSION) if nodes else b""
        if len(body) + len(changes) > limit:
            raise ValueError("the returned value is too large")
    except MemoryError as error:
        channel.send(nonce, b"E", describe(error))
    except BaseException as error:
        channel.send(nonce, b"R", describe(error))
    else:
        if changes:
            channel.send(nonce, b"M", changes)
        channel.send(nonce, status, body)

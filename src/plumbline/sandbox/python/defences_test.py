# The test build alone: defences that a test switched off, by name, as the grader's first message said.
switched_off = set()


def on(defence):
    return defence not in switched_off


def switch_off(hello):
    switched_off.update(hello.get("off_names", ()))



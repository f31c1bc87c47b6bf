# Every defence is on. The test build joins defences_test.py in this place.
def on(defence):
    return True


def switch_off(hello):
    pass



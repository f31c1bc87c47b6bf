"""Families of the task "physics": one formula each; the answer is a number with SI units."""


def number(value):
    return "{:.6g}".format(value)


def speed(d):
    s, t = d.whole(20, 900), d.whole(4, 90)
    return "A cart covers {} m in {} s at constant speed. What is its speed?".format(s, t), s / t, "m/s"


def force(d):
    m, a = d.whole(2, 80), d.whole(3, 60) / 10
    return "What force gives a body of {} kg an acceleration of {} m/s^2?".format(m, a), m * a, "N"


def potential_energy(d):
    m, h = d.whole(1, 90), d.whole(2, 60)
    return ("A body of {} kg is lifted by {} m. By how much does its potential energy grow? Take g = 9.81 m/s^2."
            .format(m, h), m * 9.81 * h, "J")


def momentum(d):
    m, v = d.whole(2, 150), d.whole(2, 45)
    return "What is the momentum of a body of {} kg that moves at {} m/s?".format(m, v), m * v, "kg m/s"


def power(d):
    w, t = d.whole(10, 900) * 100, d.whole(2, 120)
    return "An engine does {} J of work in {} s. What is its mean power?".format(w, t), w / t, "W"


def ohm(d):
    r, i = d.whole(2, 470), d.whole(2, 95) / 10
    return "What voltage drives a current of {} A through a resistance of {} ohm?".format(i, r), r * i, "V"


def density(d):
    m, v = d.whole(5, 900), d.whole(2, 80)
    return "A block of {} g has a volume of {} cm^3. What is its density in kg/m^3?".format(m, v), 1000 * m / v, "kg/m^3"


def pressure(d):
    f, a = d.whole(20, 4000), d.whole(2, 90)
    return "A force of {} N presses evenly on {} cm^2. What is the pressure?".format(f, a), f / (a * 1e-4), "Pa"


def spring_force(d):
    k, x = d.whole(40, 900), d.whole(2, 45)
    return "A spring of stiffness {} N/m is stretched by {} cm. What force does it pull with?".format(k, x), k * x / 100, "N"


def charge(d):
    i, t = d.whole(2, 900), d.whole(2, 59)
    return "A current of {} mA flows for {} min. What charge passes?".format(i, t), i * 1e-3 * t * 60, "C"


def frequency(d):
    t = d.whole(2, 500) if d.whole(0, 1) else d.whole(501, 5000)
    return "An oscillation has a period of {} ms. What is its frequency?".format(t), 1000 / t, "Hz"


def heat(d):
    m, c, t = d.whole(1, 20) / 4, d.of([385, 450, 900, 2100, 4186]), d.whole(3, 70)
    return ("How much heat warms {} kg of a substance of specific heat {} J/(kg K) by {} K?".format(m, c, t), m * c * t, "J")


def kinetic_energy(d):
    m, v = d.whole(2, 1500), d.whole(2, 40)
    return "What is the kinetic energy of a body of {} kg that moves at {} m/s?".format(m, v), m * v * v / 2, "J"


def wave(d):
    f, length = d.whole(20, 900), d.whole(2, 95) / 10
    return "A wave of frequency {} Hz has a wavelength of {} m. How fast does it travel?".format(f, length), f * length, "m/s"


def centripetal(d):
    v, r = d.whole(2, 40), d.whole(2, 120)
    return "A body moves at {} m/s on a circle of radius {} m. What is its acceleration?".format(v, r), v * v / r, "m/s^2"


def electric_power(d):
    u, i = d.whole(3, 400), d.whole(2, 160) / 10
    return "A device draws {} A at {} V. What power does it take?".format(i, u), u * i, "W"


def capacitor(d):
    c, u = d.whole(2, 900), d.whole(2, 300)
    return "What charge is on a capacitor of {} uF at {} V?".format(c, u), c * 1e-6 * u, "C"


def work(d):
    f, s = d.whole(5, 900), d.whole(2, 150)
    return "A force of {} N moves a body by {} m in its own direction. What work does it do?".format(f, s), f * s, "J"


TRAIN = [speed, force, potential_energy, momentum, power, ohm, density, pressure, spring_force, charge, frequency, heat]
EVAL = [kinetic_energy, wave, centripetal, electric_power, capacitor, work]


def row(family, d):
    question, value, unit = family(d)
    return {"prompt": question + " End with a line that reads \"Answer:\" and the value with its SI unit.",
            "reference": "{} {}".format(number(value), unit), "rel_tol": 0.01}

"""Families of the task "math": each makes a question and its exact answer."""

from fractions import Fraction as F
from math import comb, gcd


def signed(number):
    return "+ {}".format(number) if number >= 0 else "- {}".format(-number)


def text(value):
    """A fraction as people write it."""
    value = F(value)
    return str(value.numerator) if value.denominator == 1 else "{}/{}".format(value.numerator, value.denominator)


def linear_equation(d):
    a, x, b = d.nonzero(2, 12), d.whole(-15, 15), d.nonzero(-20, 20)
    return "Solve for x: {}x {} = {}.".format(a, signed(b), a * x + b), text(x)


def fraction_sum(d):
    b, e = d.whole(2, 12), d.whole(2, 12)
    a, c = d.whole(1, b - 1), d.whole(1, e - 1)
    return "What is {}/{} + {}/{}? Give an exact fraction.".format(a, b, c, e), text(F(a, b) + F(c, e))


def fraction_product(d):
    a, b, c, e = d.whole(1, 15), d.whole(2, 15), d.whole(1, 15), d.whole(2, 15)
    return "Multiply {}/{} by {}/{} and give an exact fraction.".format(a, b, c, e), text(F(a, b) * F(c, e))


def percent_of(d):
    p, n = d.whole(1, 19) * 5, d.whole(2, 90) * 20
    return "What is {}% of {}?".format(p, n), text(F(p * n, 100))


def series_sum(d):
    a, step, n = d.whole(-5, 12), d.nonzero(-4, 7), d.whole(5, 30)
    return ("An arithmetic sequence begins with {} and each term is {} more than the one before. What is the sum of its "
            "first {} terms?").format(a, step, n), text(n * (2 * a + (n - 1) * step) // 2)


def power_product(d):
    base, m, n = d.whole(2, 7), d.whole(2, 6), d.whole(2, 6)
    return "Write {0}^{1} * {0}^{2} as a single power of {0}.".format(base, m, n), "{}^{}".format(base, m + n)


def common_divisor(d):
    g, a, b = d.whole(2, 18), d.whole(2, 25), d.whole(2, 25)
    return "What is the greatest common divisor of {} and {}?".format(g * a, g * b), text(gcd(g * a, g * b))


def quadratic_roots(d):
    r, s = d.different([n for n in range(-9, 10) if n != 0], 2)
    return ("Find all solutions of x^2 {} x {} = 0.".format(signed(-(r + s)).replace("+ ", "+ ", 1), signed(r * s)),
            "{}, {}".format(*sorted((r, s))))


def derivative(d):
    a, b, c, n = d.nonzero(-9, 9), d.nonzero(-9, 9), d.whole(-9, 9), d.whole(3, 6)
    return ("Differentiate {}x^{} {}x^2 {} with respect to x.".format(a, n, signed(b), signed(c)),
            "{}x^{} {}x".format(a * n, n - 1, signed(2 * b)))


def expansion(d):
    a, b = d.nonzero(-9, 9), d.nonzero(-9, 9)
    return "Expand (x {})(x {}).".format(signed(a), signed(b)), "x^2 {}x {}".format(signed(a + b), signed(a * b))


def mean_of_five(d):
    numbers = [d.whole(-20, 60) for _ in range(5)]
    return "What is the mean of {}? Give an exact answer.".format(", ".join(map(str, numbers))), text(F(sum(numbers), 5))


def choose(d):
    n = d.whole(5, 14)
    k = d.whole(2, n - 2)
    return "In how many ways can {} of {} people be chosen, order aside?".format(k, n), text(comb(n, k))


def two_equations(d):
    x, y, a, b = d.whole(-9, 9), d.whole(-9, 9), d.whole(1, 6), d.whole(1, 6)
    return ("If {0}x + y = {1} and x - {2}y = {3}, what is x + y?".format(a, a * x + y, b, x - b * y), text(x + y))


def slope(d):
    x, y, run, rise = d.whole(-9, 9), d.whole(-9, 9), d.nonzero(-8, 8), d.whole(-9, 9)
    return "What is the slope of the line through ({}, {}) and ({}, {})?".format(x, y, x + run, y + rise), text(F(rise, run))


def remainder(d):
    a, m = d.whole(100, 9999), d.whole(3, 60)
    return "What is the remainder when {} is divided by {}?".format(a, m), text(a % m)


def radical(d):
    square, rest = d.whole(2, 12), d.of([2, 3, 5, 6, 7, 10, 11, 13, 14, 15])
    return "Simplify the square root of {}.".format(square * square * rest), "{}\\sqrt{{{}}}".format(square, rest)


def definite_integral(d):
    a, b, top = d.nonzero(-6, 6), d.whole(-9, 9), d.whole(1, 6)
    return ("Integrate {}x {} from x = 0 to x = {}. Give an exact answer.".format(a, signed(b), top),
            text(F(a * top * top, 2) + b * top))


def proportion(d):
    a, b, c = d.whole(2, 15), d.whole(3, 40), d.whole(2, 30)
    return "{} machines make {} parts an hour. How many parts an hour do {} such machines make?".format(a, a * b, c), text(b * c)


TRAIN = [linear_equation, fraction_sum, percent_of, series_sum, power_product, common_divisor, derivative, mean_of_five,
         choose, slope, radical, proportion]
EVAL = [fraction_product, quadratic_roots, expansion, two_equations, remainder, definite_integral]


def row(family, d):
    question, answer = family(d)
    return {"prompt": question + " End with a line that reads \"Answer:\" and the answer.", "reference": answer}

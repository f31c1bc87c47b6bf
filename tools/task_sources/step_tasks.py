"""Families of the task "step": a question, its answer, and a solution in steps that the verifier must accept."""

from fractions import Fraction as F


def text(value):
    value = F(value)
    return str(value.numerator) if value.denominator == 1 else "{}/{}".format(value.numerator, value.denominator)


def product_of_sum(d):
    a, b, c = d.whole(2, 19), d.whole(2, 50), d.whole(2, 50)
    return ("Compute {} * ({} + {}).".format(a, b, c),
            ["{} * ({} + {})".format(a, b, c), "{} * {}".format(a, b + c), a * (b + c)])


def sum_of_products(d):
    a, b, c, e = (d.whole(2, 19) for _ in range(4))
    return ("Compute {} * {} + {} * {}.".format(a, b, c, e),
            ["{} * {} + {} * {}".format(a, b, c, e), "{} + {} * {}".format(a * b, c, e), "{} + {}".format(a * b, c * e),
             a * b + c * e])


def shopping(d):
    n, p, m, q = d.whole(3, 15), d.whole(3, 30), d.whole(3, 15), d.whole(3, 30)
    return ("{} books cost {} each and {} pens cost {} each. What do they cost together?".format(n, p, m, q),
            ["{} * {} + {} * {}".format(n, p, m, q), "{} + {}".format(n * p, m * q), n * p + m * q])


def change_left(d):
    n, p = d.whole(3, 9), d.whole(3, 19)
    paid = n * p + d.whole(3, 90)
    return ("{} tickets at {} each are paid with {}. How much is given back?".format(n, p, paid),
            ["{} - {} * {}".format(paid, n, p), "{} - {}".format(paid, n * p), paid - n * p])


def fraction_sum(d):
    b, e = d.different([3, 4, 5, 7, 8, 9, 11], 2)
    a, c = d.whole(1, b - 1), d.whole(1, e - 1)
    return ("Compute {}/{} + {}/{} as one fraction.".format(a, b, c, e),
            ["{}/{} + {}/{}".format(a, b, c, e), "({} * {} + {} * {})/({} * {})".format(a, e, c, b, b, e),
             "({} + {})/{}".format(a * e, c * b, b * e), F(a, b) + F(c, e)])


def difference_of_squares(d):
    b = d.whole(11, 60)
    a = b + d.whole(2, 30)
    return ("Compute {}^2 - {}^2.".format(a, b),
            ["{}^2 - {}^2".format(a, b), "({0} - {1}) * ({0} + {1})".format(a, b), "{} * {}".format(a - b, a + b),
             a * a - b * b])


def nested_brackets(d):
    a, c, e = d.whole(2, 9), d.whole(2, 9), d.whole(2, 9)
    b = c * e + d.whole(2, 40)
    return ("Compute {} * ({} - {} * {}).".format(a, b, c, e),
            ["{} * ({} - {} * {})".format(a, b, c, e), "{} * ({} - {})".format(a, b, c * e),
             "{} * {}".format(a, b - c * e), a * (b - c * e)])


def exact_quotient(d):
    q, c, a = d.whole(3, 40), d.whole(3, 12), d.whole(5, 90)
    b = q * c - a
    if b <= 1:
        b, a = q * c + 7, -7
    left = "({} + {})".format(a, b) if a > 0 else "({} - {})".format(b, -a)
    return ("Compute {} / {} + {}.".format(left, c, q + 2),
            ["{} / {} + {}".format(left, c, q + 2), "{} / {} + {}".format(q * c, c, q + 2),
             "{} + {}".format(q, q + 2), 2 * q + 2])


def collect_terms(d):
    a, b, c, e = d.whole(2, 9), d.whole(2, 9), d.whole(2, 9), d.whole(2, 9)
    return ("Simplify {}(x + {}) + {}(x + {}).".format(a, b, c, e),
            ["{}(x + {}) + {}(x + {})".format(a, b, c, e), "{}x + {} + {}x + {}".format(a, a * b, c, c * e),
             "{}x + {}".format(a + c, a * b + c * e)])


def perimeter(d):
    a, b, n = d.whole(3, 60), d.whole(3, 60), d.whole(3, 12)
    return ("A field is {} m long and {} m wide, and the path around it has two long and two short sides. How many "
            "metres are {} rounds?".format(a, b, n),
            ["{} * 2 * ({} + {})".format(n, a, b), "{} * 2 * {}".format(n, a + b), "{} * {}".format(n, 2 * (a + b)),
             2 * n * (a + b)])


def percent_off(d):
    p, n = d.of([10, 20, 25, 30, 40, 60, 75]), d.whole(2, 40) * 20
    return ("A coat costs {}. It is sold at {}% off, so that {} of every 100 is taken off. What is the price now?"
            .format(n, p, p),
            ["{} * (100 - {}) / 100".format(n, p), "{} * {} / 100".format(n, 100 - p),
             "{} / 100".format(n * (100 - p)), F(n * (100 - p), 100)])


def average(d):
    a, b, c = d.whole(3, 90), d.whole(3, 90), d.whole(3, 90)
    c += (-(a + b + c)) % 3
    return ("What is the mean of the 3 numbers {}, {} and {}?".format(a, b, c),
            ["({} + {} + {}) / 3".format(a, b, c), "({} + {}) / 3".format(a + b, c), "{} / 3".format(a + b + c),
             (a + b + c) // 3])


def expand_square(d):
    a, b = d.whole(2, 12), d.whole(2, 19)
    b += 1 if b == 2 * a else 0  # terms that cancel are no step
    return ("Expand (x + {0})^2 - {1}x.".format(a, b),
            ["(x + {0})^2 - {1}x".format(a, b), "x^2 + {}x + {} - {}x".format(2 * a, a * a, b),
             "x^2 + {}x + {}".format(2 * a - b, a * a)])


def two_rates(d):
    a, b, t = d.whole(20, 90), d.whole(20, 90), d.whole(2, 9)
    return ("Two cars drive apart at {} km/h and {} km/h. How many kilometres lie between them after {} hours?".format(a, b, t),
            ["({} + {}) * {}".format(a, b, t), "{} * {}".format(a + b, t), (a + b) * t])


def shares(d):
    n, each, extra = d.whole(3, 12), d.whole(4, 40), d.whole(2, 30)
    return ("{} coins are shared by {} people, and each then gets {} more. How many has each?".format(n * each * 2, n, extra),
            ["{} / {} + {}".format(n * each * 2, n, extra), "{} + {}".format(2 * each, extra), 2 * each + extra])


def power_sum(d):
    a, b, c = d.whole(2, 6), d.whole(2, 9), d.whole(2, 9)
    return ("Compute {}^3 + {} * {}.".format(a, b, c),
            ["{}^3 + {} * {}".format(a, b, c), "{} + {} * {}".format(a ** 3, b, c), "{} + {}".format(a ** 3, b * c),
             a ** 3 + b * c])


def fraction_of_sum(d):
    b = d.of([3, 4, 5, 6, 8])
    a = d.whole(2, b - 1)
    whole = b * d.whole(3, 20)
    part = d.whole(2, whole - 2)
    return ("Compute {}/{} of ({} + {}).".format(a, b, part, whole - part),
            ["{}/{} * ({} + {})".format(a, b, part, whole - part), "{}/{} * {}".format(a, b, whole),
             "{} / {}".format(a * whole, b), a * whole // b])


def signed_chain(d):
    a, c, e = d.whole(2, 40), d.whole(2, 9), d.whole(2, 12)
    b = a + d.whole(2, 50)
    return ("Compute ({} - {}) * {} + {}.".format(a, b, c, e),
            ["({} - {}) * {} + {}".format(a, b, c, e), "-{} * {} + {}".format(b - a, c, e),
             "-{} + {}".format((b - a) * c, e), (a - b) * c + e])


TRAIN = [product_of_sum, sum_of_products, shopping, change_left, fraction_sum, difference_of_squares, exact_quotient,
         collect_terms, perimeter, average, shares, power_sum]
EVAL = [nested_brackets, percent_off, expand_square, two_rates, fraction_of_sum, signed_chain]


def row(family, d):
    question, steps = family(d)
    words = [step if isinstance(step, str) else text(step) for step in steps]
    return {"prompt": question, "reference": words[-1], "min_steps": 2,
            "solution": "".join("STEP: {} | next\n".format(word) for word in words)}

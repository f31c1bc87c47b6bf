#!/usr/bin/env python3
"""Exact coverage of two 95% intervals of a paired difference of rates, by summing the trinomial of the discordant counts.

    python3 tools/reference/interval_coverage.py [N...]      (48 if none is given; needs numpy)

`tango`: the score interval. `mid-P`: the same statistic with its own distribution instead of the normal one: at each
difference the nuisance rate is the restricted maximum-likelihood estimate, and the interval holds the differences whose
two-sided mid-P exceeds .05. The difference between the two columns is what the normal approximation costs.
"""
import sys
from math import lgamma

import numpy as np

LOG_FACTORIALS = np.array([lgamma(i + 1) for i in range(5001)])


def trinomial(n, gained, lost, gain_rate, loss_rate):
    """P(gained, lost) of n pairs that flip with the given rates; arrays of counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = (LOG_FACTORIALS[n] - LOG_FACTORIALS[gained] - LOG_FACTORIALS[lost] - LOG_FACTORIALS[n - gained - lost]
                 + np.where(gained > 0, gained * np.log(gain_rate), 0) + np.where(lost > 0, lost * np.log(loss_rate), 0)
                 + (n - gained - lost) * np.log1p(-gain_rate - loss_rate))
    return np.exp(log_p)


def score(n, gained, lost, delta):
    """Tango's statistic at `delta`, and the loss rate that is likeliest there."""
    b = -gained - lost + (2 * n - gained + lost) * delta
    loss_rate = (np.sqrt(np.maximum(b * b + 8 * n * lost * delta * (1 - delta), 0)) - b) / (4 * n)
    variance = n * (2 * loss_rate + delta - delta * delta)
    distance = gained - lost - n * delta
    return np.where(np.abs(distance) < 1e-12, 0, distance / np.sqrt(np.maximum(variance, 1e-300))), loss_rate


def counts(n, most):
    gained, lost = np.meshgrid(np.arange(most + 1), np.arange(most + 1))
    possible = gained + lost <= n
    return gained[possible], lost[possible]


def coverage(n, share, delta):
    most = int(min(n, n * share + 8 * (n * share) ** .5 + 8))
    gained, lost = counts(n, most)
    p = trinomial(n, gained, lost, (share + delta) / 2, (share - delta) / 2)
    t, loss_rates = score(n, gained, lost, delta)
    all_gained, all_lost = counts(n, int(min(n, 1.5 * most + 10)))
    all_t = np.abs(score(n, all_gained, all_lost, delta)[0])
    mid_p_covers = 0.0
    for weight, seen, loss_rate in zip(p, np.abs(t), loss_rates):
        if weight < 1e-9:
            continue
        under = trinomial(n, all_gained, all_lost, loss_rate + delta, loss_rate)
        mid_p = under[all_t > seen + 1e-9].sum() + .5 * under[np.abs(all_t - seen) <= 1e-9].sum()
        mid_p_covers += weight * (mid_p > .05)
    return p[np.abs(t) <= 1.959963984540054].sum(), mid_p_covers


def main():
    print("n    share effect  tango  mid-P")
    for n in [int(word) for word in sys.argv[1:]] or [48]:
        for share in (.05, .10, .15, .20, .30, .40, .50):
            for delta in (0, .05, .15):
                if delta <= share:
                    tango, mid_p = coverage(n, share, delta)
                    print(f"{n:<4} {share:.2f}  {delta:.2f}   {100 * tango:6.2f} {100 * mid_p:6.2f}", flush=True)


if __name__ == "__main__":
    main()

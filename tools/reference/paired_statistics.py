#!/usr/bin/env python3
"""Reference figures for stats/: quantiles, intervals and rank tests as scipy and plain enumeration have them.

    python3 statistics.py > ../../tests/golden/stats/golden.json      (needs scipy)
"""
import itertools
import json
import math
import random

from scipy import optimize, stats


def enumerated_rank_p(low, high):
    """P(rank sum <= seen) over all labellings, by listing them; mid-ranks for ties."""
    ranks = stats.rankdata(low + high)
    seen = sum(ranks[: len(low)])
    sums = [sum(choice) for choice in itertools.combinations(ranks, len(low))]
    return sum(total <= seen + 1e-9 for total in sums) / len(sums)


def tango_interval(base_only, candidate_only, n, level=.95):
    """Tango's interval the long way: the multinomial likelihood maximised numerically under each difference."""
    z = stats.norm.ppf(.5 + level / 2)

    def squared_score(delta):
        def minus_log_likelihood(q):  # q = P(base only), P(candidate only) = q + delta
            concordant = 1 - 2 * q - delta
            return -sum(count * math.log(max(p, 1e-300)) for count, p in
                        ((base_only, q), (candidate_only, q + delta), (n - base_only - candidate_only, concordant))
                        if count)
        low, high = max(0.0, -delta), (1 - delta) / 2
        q = optimize.minimize_scalar(minus_log_likelihood, bounds=(low, high), method="bounded",
                                     options={"xatol": 1e-13}).x
        variance = n * (2 * q + delta - delta ** 2)
        return (candidate_only - base_only - n * delta) ** 2 / variance - z ** 2

    estimate = (candidate_only - base_only) / n
    return (optimize.brentq(squared_score, -1 + 1e-9, estimate - 1e-9, xtol=1e-12),
            optimize.brentq(squared_score, estimate + 1e-9, 1 - 1e-9, xtol=1e-12))


def paired_figures():
    """Of pairs and counts, and Python's own random numbers."""
    tango = []
    for base_only, candidate_only, n in [(2, 9, 48), (1, 1, 48), (0, 3, 48), (20, 44, 175), (5, 0, 500), (12, 60, 144)]:
        low, high = tango_interval(base_only, candidate_only, n)
        tango.append({"base_only": base_only, "candidate_only": candidate_only, "n": n, "low": low, "high": high})
    binomial = [{"count": k, "total": n, "rate": p, "p": stats.binomtest(k, n, p).pvalue}
                for k, n, p in [(3, 10, .5), (1, 20, .2), (9, 12, .5), (58, 94, .5), (0, 7, .3), (500, 1000, .45)]]
    clopper = []
    for k, n in [(0, 10), (1, 3), (17, 128), (10, 10)]:
        interval = stats.binomtest(k, n).proportion_ci(.95, method="exact")
        clopper.append({"count": k, "total": n, "low": interval.low, "high": interval.high})
    spearman = []
    for x, y in [([1, 2, 3, 4, 5], [2, 1, 4, 3, 5]), ([1, 1, 2, 3], [4, 2, 2, 1])]:
        result = stats.spearmanr(x, y)
        spearman.append({"x": x, "y": y, "rho": result.statistic, "p": result.pvalue})
    bootstrap = []
    for values in [[0, 1, 1, -1, 0, 0, 1, 0, 0, 1, 0], [.5, -.25, .125, 1, 0]]:
        rng = random.Random(0)
        n = len(values)
        means = sorted(sum(values[rng.randrange(n)] for _ in range(n)) / n for _ in range(4000))
        bootstrap.append({"values": values, "low": means[100], "high": means[3900]})
    draws = [{"seed": seed, "bound": bound, "values": [rng.randrange(bound) for _ in range(12)]}
             for seed, bound in [(0, 48), (7, 1000), (2 ** 40 + 3, 2 ** 31)] for rng in [random.Random(seed)]]
    return {"tango": tango, "binomial": binomial, "clopper_pearson": clopper, "spearman": spearman,
            "percentile_bootstrap": bootstrap, "randrange": draws}


def main():
    t_quantiles = [{"p": p, "degrees": d, "t": stats.t.ppf(p, d)}
                   for p in (0.005, 0.025, 0.2, 0.4, 0.5, 0.75, 0.975, 0.9995) for d in (1, 2, 3, 4.5, 7, 30, 1000)]
    t_tails = [{"t": t, "degrees": d, "p": stats.t.cdf(t, d)}
               for t in (-60, -12.7, -3, -0.1, 0, 0.5, 2, 9) for d in (1, 2, 5, 11, 200)]
    wilson = []
    for count, total, level in [(0, 10, .95), (10, 10, .95), (1, 3, .95), (17, 128, .95), (93, 128, .9), (5, 7, .99)]:
        interval = stats.binomtest(count, total).proportion_ci(level, method="wilson")
        wilson.append({"count": count, "total": total, "level": level, "low": interval.low, "high": interval.high})
    paired = []
    for a, b in [([.055, .078, .055], [.633, .797, .750]), ([.2, .4], [.3, .9]), ([1, 2, 3, 4, 7], [2, 1, 5, 9, 7.5])]:
        interval = stats.ttest_rel(a, b).confidence_interval(.95)
        paired.append({"a": a, "b": b, "low": interval.low, "high": interval.high})
    rank = []
    for low, high in [([.055, .078, .055], [.445, .320, .641, .414, .508, .266, .445, .703, .156]), ([1, 2], [3, 4]),
                      ([3, 4], [1, 2]), ([1, 2, 2], [2, 3, 1]), ([.5], [.5, .5]), ([1, 4, 6], [2, 3, 5, 7, 8])]:
        row = {"low": low, "high": high, "p": enumerated_rank_p(low, high)}
        if len(set(low + high)) == len(low + high):
            scipy_p = stats.mannwhitneyu(low, high, alternative="less", method="exact").pvalue
            assert abs(scipy_p - row["p"]) < 1e-12
        rank.append(row)
    print(json.dumps({"t_quantiles": t_quantiles, "t_tails": t_tails, "wilson": wilson, "paired": paired,
                      "rank": rank, **paired_figures()}, indent=0))


if __name__ == "__main__":
    main()

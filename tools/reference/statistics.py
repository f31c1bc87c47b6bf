#!/usr/bin/env python3
"""Reference figures for stats/: quantiles, intervals and rank tests as scipy and plain enumeration have them.

    python3 statistics.py > ../../tests/golden/stats/golden.json      (needs scipy)
"""
import itertools
import json

from scipy import stats


def enumerated_rank_p(low, high):
    """P(rank sum <= seen) over all labellings, by listing them; mid-ranks for ties."""
    ranks = stats.rankdata(low + high)
    seen = sum(ranks[: len(low)])
    sums = [sum(choice) for choice in itertools.combinations(ranks, len(low))]
    return sum(total <= seen + 1e-9 for total in sums) / len(sums)


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
                      "rank": rank}, indent=0))


if __name__ == "__main__":
    main()

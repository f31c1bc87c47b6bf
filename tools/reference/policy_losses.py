#!/usr/bin/env python3
"""Float64 reference for the losses that have no other golden file: RLOO, REINFORCE++, the sequence-level ratio, k1, k2.

Written from the papers with explicit loops and no tensor library; the gradient is a central difference in 50 digits.
    RLOO          arXiv 2402.14740, eq. 7: (1/k) sum_i [R_i - mean of the others] grad log pi(y_i)
    REINFORCE++   arXiv 2501.03262, eqs. 8-10: return to go with the k1 penalty, normalised over the batch's tokens
    GSPO          arXiv 2507.18071, eqs. 5-7: s_i = (pi / pi_old)^(1/|y_i|), clipped, mean over sequences
    k1, k2        Schulman, "Approximating KL divergence" (2020)

    python3 policy_losses.py > ../../tests/golden/policy_loss/golden.json      (needs mpmath)
"""
import json
import random

from mpmath import mp, mpf

mp.dps = 50
GROUP, PROMPTS, MAX_NEW = 4, 3, 9
CLIP_LOW, CLIP_HIGH = mpf("0.2"), mpf("0.28")


def inputs():
    """Three groups; one without spread. Ratios are drawn until none lies near a clip."""
    draw = random.Random(20260524)
    rows = []
    rewards = [[3.5, 0.5, 0.0, 3.5], [0.5, 0.5, 0.5, 0.5], [0.0, 3.0, 0.5, 0.25]]
    for g in range(PROMPTS):
        for reward in rewards[g]:
            length = draw.randint(2, MAX_NEW)
            while True:
                old = [round(-draw.uniform(0.05, 3), 6) for _ in range(length)]
                new = [round(o + draw.gauss(0, 0.22), 6) for o in old]
                ratios = [mp.e ** (mpf(str(n)) - mpf(str(o))) for n, o in zip(new, old)]
                mean = mp.e ** (sum(mpf(str(n)) - mpf(str(o)) for n, o in zip(new, old)) / length)
                if all(abs(r - edge) > mpf("0.01") for r in ratios + [mean] for edge in (1 - CLIP_LOW, 1 + CLIP_HIGH)):
                    break
            reference = [round(n + draw.gauss(0, 0.3), 6) for n in new]
            rows.append({"group": g, "reward": reward, "logp": new, "old": old, "reference": reference})
    return rows


def numbers(values):
    return [mpf(str(v)) for v in values]


def clipped(ratio, advantage):
    bounded = min(max(ratio, 1 - CLIP_LOW), 1 + CLIP_HIGH)
    return -min(ratio * advantage, bounded * advantage)


def leave_one_out(rows):
    result = []
    for i, row in enumerate(rows):
        others = [mpf(str(r["reward"])) for j, r in enumerate(rows) if r["group"] == row["group"] and j != i]
        result.append(mpf(str(row["reward"])) - sum(others) / len(others))
    return result


def group_standardized(rows):
    result = []
    for row in rows:
        rewards = [mpf(str(r["reward"])) for r in rows if r["group"] == row["group"]]
        mean = sum(rewards) / len(rewards)
        std = mp.sqrt(sum((r - mean) ** 2 for r in rewards) / (len(rewards) - 1))
        result.append((mpf(str(row["reward"])) - mean) / (std + mpf("0.0001")))
    return result


def returns_to_go(rows, beta):
    """The penalty uses the policy that sampled, so these do not move with logp."""
    result = []
    for row in rows:
        old, reference = numbers(row["old"]), numbers(row["reference"])
        result.append([mpf(str(row["reward"])) - beta * sum(old[i] - reference[i] for i in range(t, len(old)))
                       for t in range(len(old))])
    every = [value for values in result for value in values]
    mean = sum(every) / len(every)
    std = mp.sqrt(sum((v - mean) ** 2 for v in every) / len(every))
    return [[(v - mean) / std for v in values] for values in result]


def divergence(kind, logp, reference):
    d = reference - logp
    return {"k1": -d, "k2": d * d / 2, "k3": mp.e ** d - d - 1}[kind]


def loss_rloo(rows, logps):
    total = mpf(0)
    for row, logp, advantage in zip(rows, logps, leave_one_out(rows)):
        total += sum(clipped(mp.e ** (l - o), advantage) for l, o in zip(logp, numbers(row["old"])))
    return total / (GROUP * PROMPTS)


def loss_reinforce_plus(rows, logps, beta):
    total, count = mpf(0), 0
    for row, logp, advantages in zip(rows, logps, returns_to_go(rows, beta)):
        total += sum(clipped(mp.e ** (l - o), a) for l, o, a in zip(logp, numbers(row["old"]), advantages))
        count += len(logp)
    return total / count


def loss_gspo(rows, logps):
    total = mpf(0)
    for row, logp, advantage in zip(rows, logps, group_standardized(rows)):
        old = numbers(row["old"])
        ratio = mp.e ** (sum(l - o for l, o in zip(logp, old)) / len(old))
        total += clipped(ratio, advantage)
    return total / (GROUP * PROMPTS)


def loss_dr_grpo(rows, logps, kind):
    total = mpf(0)
    for row, logp in zip(rows, logps):
        rewards = [mpf(str(r["reward"])) for r in rows if r["group"] == row["group"]]
        advantage = mpf(str(row["reward"])) - sum(rewards) / len(rewards)
        for l, o, r in zip(logp, numbers(row["old"]), numbers(row["reference"])):
            total += clipped(mp.e ** (l - o), advantage) + mpf("0.04") * divergence(kind, l, r)
    return total / (GROUP * PROMPTS * MAX_NEW)


def gradient(loss, logps):
    h = mpf(10) ** -20
    result = []
    for i, row in enumerate(logps):
        result.append([])
        for t in range(len(row)):
            at = row[t]
            row[t] = at + h
            up = loss(logps)
            row[t] = at - h
            down = loss(logps)
            row[t] = at
            result[-1].append(float((up - down) / (2 * h)))
    return result


def main():
    rows = inputs()
    logps = [numbers(row["logp"]) for row in rows]
    cases = {
        "rloo": ({"loss": "rloo", "ratio": "token", "kl": "k3", "beta": 0}, lambda p: loss_rloo(rows, p)),
        "reinforce_plus": ({"loss": "reinforce++", "ratio": "token", "kl": "k3", "beta": 0},
                           lambda p: loss_reinforce_plus(rows, p, mpf(0))),
        "reinforce_plus_penalty": ({"loss": "reinforce++", "ratio": "token", "kl": "k3", "beta": 0.1},
                                   lambda p: loss_reinforce_plus(rows, p, mpf("0.1"))),
        "gspo": ({"loss": "grpo", "ratio": "sequence", "kl": "k3", "beta": 0}, lambda p: loss_gspo(rows, p)),
        "k1": ({"loss": "dr_grpo", "ratio": "token", "kl": "k1", "beta": 0.04}, lambda p: loss_dr_grpo(rows, p, "k1")),
        "k2": ({"loss": "dr_grpo", "ratio": "token", "kl": "k2", "beta": 0.04}, lambda p: loss_dr_grpo(rows, p, "k2")),
    }
    golden = {"group_size": GROUP, "prompts_per_step": PROMPTS, "max_new_tokens": MAX_NEW, "clip_low": 0.2,
              "clip_high": 0.28, "rows": rows, "cases": {}}
    for name, (options, loss) in cases.items():
        golden["cases"][name] = {"options": options, "loss": float(loss(logps)), "gradient": gradient(loss, logps)}
    print(json.dumps(golden, indent=None, separators=(",", ":")))


main()

/// How often the headline intervals hold the truth, by simulation. The quick form runs a few cells; the tests named
/// Slow run the whole grid with 20,000 draws and print the tables of docs/method/statistics.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

#include "plumbline/base/rng.h"
#include "plumbline/stats/bootstrap.h"
#include "plumbline/stats/clustered_rate.h"
#include "plumbline/stats/confidence_sequence.h"
#include "plumbline/stats/paired_binary.h"

namespace plumbline {
namespace {

/// Paired binary arms: `share` of the pairs is discordant, the candidate gains `effect`. Seeds of one item take the
/// same draw with probability `sharing`, which is then the correlation of two seeds within an item.
struct Cell {
  int64_t num_items;
  double share, effect;
  int num_seeds = 1;
  double sharing = 0;
};

std::vector<Cluster> draw_clusters(const Cell& cell, CounterRng& rng) {
  std::vector<Cluster> clusters(static_cast<size_t>(cell.num_items));
  for (Cluster& cluster : clusters) {
    const bool base_passes = rng.next_unit() < 0.5;
    const double flip_rate = base_passes ? cell.share - cell.effect : cell.share + cell.effect;  // halves cancel
    const bool common = rng.next_unit() < flip_rate;
    for (int seed = 0; seed < cell.num_seeds; ++seed) {
      const bool own = rng.next_unit() < flip_rate;
      const bool flips = rng.next_unit() < cell.sharing ? common : own;
      cluster.num_above += flips && !base_passes;
      cluster.num_below += flips && base_passes;
    }
    cluster.num_rows = cell.num_seeds;
    cluster.sum = static_cast<double>(cluster.num_above - cluster.num_below);
    cluster.squares = static_cast<double>(cluster.num_above + cluster.num_below);
  }
  return clusters;
}

using IntervalOf = std::function<Interval(const std::vector<Cluster>&)>;

double coverage(const Cell& cell, int draws, const IntervalOf& interval_of) {
  int covered = 0;
  for (int draw = 0; draw < draws; ++draw) {
    CounterRng rng({.seed = 11, .stream = Stream::kTest, .sample = static_cast<uint32_t>(draw)});
    covered += !interval_of(draw_clusters(cell, rng)).excludes(cell.effect);
  }
  return covered / static_cast<double>(draws);
}

/// What `compare` shows as the headline of pass or fail outcomes, for one seed (Tango) and for several.
Interval headline(const std::vector<Cluster>& clusters) {
  return clustered_tango_interval(clusters).interval;
}

Interval percentile(const std::vector<Cluster>& clusters) {
  return percentile_bootstrap(clusters);
}

Interval bootstrap_t_or_point(const std::vector<Cluster>& clusters) {
  const double mean = mean_of(clusters);
  return bootstrap_t(clusters).value_or(Interval{mean, mean});
}

/// With fewer than three discordant items to expect, no rule on counts can come near 95%: the interval then covers
/// more.
bool is_discrete_corner(const Cell& cell) {
  return static_cast<double>(cell.num_items) * cell.share < 3;
}

void expect_nominal(const Cell& cell, double covered, double slack) {
  EXPECT_GE(covered, 0.935 - slack) << cell.num_items << " " << cell.share << " " << cell.effect;
  EXPECT_LE(covered, is_discrete_corner(cell) ? 1 : 0.97 + slack)
      << cell.num_items << " " << cell.share << " " << cell.effect;
}

void print_grid(const char* title, int num_seeds, double sharing, int draws) {
  std::printf("%s\n\n| n | discordant share | effect 0 | effect .05 | effect .15 |\n|---|---|---|---|---|\n", title);
  for (const int64_t n : {48, 175, 500}) {
    for (const double share : {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5}) {
      std::printf("| %d | %.2f |", static_cast<int>(n), share);
      for (const double effect : {0.0, 0.05, 0.15}) {
        if (effect > share) {
          std::printf(" - |");
          continue;
        }
        const Cell cell{n, share, effect, num_seeds, sharing};
        const double covered = coverage(cell, draws, headline);
        expect_nominal(cell, covered, 0);
        std::printf(" %.2f |", 100 * covered);
      }
      std::printf("\n");
    }
  }
}

TEST(HeadlineInterval, CoversInQuickForm) {
  for (const Cell& cell : {Cell{48, 0.1, 0}, Cell{48, 0.3, 0.15}, Cell{175, 0.05, 0.05}, Cell{48, 0.05, 0.05}}) {
    expect_nominal(cell, coverage(cell, 3000, headline), 0.012);  // three standard errors
  }
}

TEST(HeadlineInterval, CoversWhenFiveSeedsShareItems) {
  for (const Cell& cell : {Cell{48, 0.1, 0, 5, 0.5}, Cell{48, 0.15, 0.15, 5, 0.9}, Cell{80, 0.3, 0.05, 5, 0}}) {
    expect_nominal(cell, coverage(cell, 3000, headline), 0.012);
  }
}

/// Passes of one arm at `rate`; two seeds of an item take the same draw with probability `sharing`.
std::vector<Cluster> draw_passes(int64_t num_items, double rate, int num_seeds, double sharing, CounterRng& rng) {
  std::vector<Cluster> clusters(static_cast<size_t>(num_items));
  for (Cluster& cluster : clusters) {
    const bool common = rng.next_unit() < rate;
    for (int seed = 0; seed < num_seeds; ++seed) {
      const bool own = rng.next_unit() < rate;
      cluster.num_above += rng.next_unit() < std::sqrt(sharing) ? common : own;
    }
    cluster.num_rows = num_seeds;
    cluster.sum = cluster.squares = static_cast<double>(cluster.num_above);
  }
  return clusters;
}

TEST(ArmInterval, CoversWhenFiveSeedsShareItems) {
  for (const double sharing : {0.0, 0.5, 1.0}) {
    for (const double rate : {0.1, 0.4}) {
      int covered = 0;
      constexpr int kDraws = 3000;
      for (int draw = 0; draw < kDraws; ++draw) {
        CounterRng rng({.seed = 12, .stream = Stream::kTest, .sample = static_cast<uint32_t>(draw)});
        const std::vector<Cluster> passes = draw_passes(48, rate, 5, sharing, rng);
        covered += !clustered_wilson_interval(passes, passes).excludes(rate);
      }
      EXPECT_GE(covered, (0.935 - 0.012) * kDraws) << sharing << " " << rate;
    }
  }
}

/// Looks after every tenth prompt from the twentieth to the 300th: the share of paths that ever leave the truth out.
TEST(ConfidenceSequence, HoldsUnderPeekingWhenFiveSeedsShareItems) {
  constexpr int kPaths = 600;
  int missed = 0, missed_by_rows = 0;
  for (int path = 0; path < kPaths; ++path) {
    CounterRng rng({.seed = 13, .stream = Stream::kTest, .sample = static_cast<uint32_t>(path)});
    const std::vector<Cluster> all = draw_clusters({300, 0.3, 0.1, 5, 0.9}, rng);
    bool misses = false, misses_by_rows = false;
    for (size_t n = 20; n <= all.size(); n += 10) {
      const std::span<const Cluster> seen = std::span(all).first(n);
      misses = misses || confidence_sequence(seen, seen).excludes(0.1);
      std::vector<double> rows;
      for (const Cluster& cluster : seen) {
        rows.insert(rows.end(), static_cast<size_t>(cluster.num_above), 1);
        rows.insert(rows.end(), static_cast<size_t>(cluster.num_below), -1);
        rows.resize(rows.size() + static_cast<size_t>(cluster.num_rows - cluster.num_above - cluster.num_below), 0);
      }
      misses_by_rows = misses_by_rows || confidence_sequence(rows).excludes(0.1);
    }
    missed += misses;
    missed_by_rows += misses_by_rows;
  }
  EXPECT_LE(missed, 0.05 * kPaths);
  EXPECT_GT(missed_by_rows, 0.1 * kPaths);  // rows as observations would be wrong
}

TEST(HeadlineInterval, OfPooledRowsWouldBeTooNarrow) {
  const auto pooled = [](const std::vector<Cluster>& clusters) {
    double above = 0, below = 0, rows = 0;
    for (const Cluster& cluster : clusters) {
      above += static_cast<double>(cluster.num_above);
      below += static_cast<double>(cluster.num_below);
      rows += static_cast<double>(cluster.num_rows);
    }
    return tango_interval(below, above, rows);
  };
  EXPECT_LT(coverage({48, 0.3, 0.05, 5, 0.5}, 2000, pooled), 0.85);
}

TEST(BootstrapT, CoversRealValuedDifferences) {
  // Rewards on a grid, skewed: mean .05 x .7 + .15 x 1 - .1 x .5 + .7 x 0 = .135.
  constexpr double kTruth = 0.135;
  int covered = 0;
  constexpr int kDraws = 700;
  for (int draw = 0; draw < kDraws; ++draw) {
    CounterRng rng({.seed = 5, .stream = Stream::kTest, .sample = static_cast<uint32_t>(draw)});
    std::vector<Cluster> clusters(60);
    for (Cluster& cluster : clusters) {
      const double unit = rng.next_unit();
      cluster.sum = unit < 0.05 ? 0.7 : unit < 0.2 ? 1 : unit < 0.3 ? -0.5 : 0;
      cluster.num_rows = 1;
    }
    covered += !bootstrap_t(clusters, 0.95, 399)->excludes(kTruth);
  }
  EXPECT_NEAR(covered / static_cast<double>(kDraws), 0.95, 0.025);
}

TEST(HeadlineIntervalSlow, CoversOverTheWholeGridForOneSeed) {
  print_grid("One seed, coverage in %", 1, 0, 20000);
}

TEST(HeadlineIntervalSlow, CoversOverTheWholeGridForFiveSeeds) {
  print_grid("Five seeds that share items, correlation .5, coverage in %", 5, 0.5, 20000);
}

TEST(HeadlineIntervalSlow, OtherIntervalsCoverLess) {
  constexpr int kDraws = 1500;
  std::printf("| seeds | n | discordant share | effect | headline | bootstrap-t | percentile bootstrap |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (const Cell& cell : {Cell{48, 0.1, 0}, Cell{48, 0.15, 0.05}, Cell{48, 0.1, 0, 5, 0.5},
                           Cell{48, 0.15, 0.05, 5, 0.5}, Cell{175, 0.05, 0, 5, 0.5}, Cell{175, 0.15, 0.05, 5, 0.5}}) {
    const double by_t = coverage(cell, kDraws, bootstrap_t_or_point),
                 by_percentile = coverage(cell, kDraws, percentile);
    std::printf("| %d | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", cell.num_seeds, static_cast<int>(cell.num_items),
                cell.share, cell.effect, 100 * coverage(cell, kDraws, headline), 100 * by_t, 100 * by_percentile);
    if (cell.num_items == 48) {
      EXPECT_LT(std::min(by_t, by_percentile), 0.94);
    }
  }
}

}  // namespace
}  // namespace plumbline

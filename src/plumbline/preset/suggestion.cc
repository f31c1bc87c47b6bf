#include "plumbline/preset/suggestion.h"

#include <algorithm>
#include <numeric>

#include "plumbline/preset/key_table.h"

namespace plumbline {
namespace {

// Nobody mistypes more than this; longer words only cost time.
constexpr size_t kMaxLength = 64;

size_t tolerated(std::string_view word) {
  return std::max<size_t>(1, word.size() / 3);
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kMaxLength) return "";
  std::string best;
  size_t best_distance = tolerated(word) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string nearest_key(std::string_view table, std::string_view key) {
  if (key.size() > kMaxLength || table.size() > kMaxLength) return "";
  std::string best;
  // A slip inside the table is likelier than a key in the wrong table, at equal distance.
  size_t best_cost = 2 * tolerated(key) + 2;
  for (const KeyRow& row : key_rows()) {
    const size_t distance = edit_distance(key, row.key);
    if (distance > tolerated(key)) continue;
    const size_t cost = 2 * distance + (table != row.table);
    if (cost < best_cost) {
      best_cost = cost;
      best = row.name();
    }
  }
  return best;
}

}  // namespace plumbline

/// Which waiting submission is graded next: the one that is expected to cost least, but every fourth time the one that
/// has waited longest, so that none waits for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <utility>

namespace plumbline {

/// Not thread-safe: its owner locks. Every operation is O(log n).
template <typename Item>
class ShortFirstQueue {
 public:
  /// `cost` in any unit; equal costs leave in the order in which they came.
  void push(Item item, double cost) {
    by_age_.push_back({std::move(item), {}});
    const auto at = std::prev(by_age_.end());
    at->by_cost = by_cost_.emplace(cost, at);
  }
  /// Requires !empty().
  Item pop() {
    const bool oldest = ++num_popped_ % kOldestEvery == 0;
    const auto at = oldest ? by_age_.begin() : by_cost_.begin()->second;
    by_cost_.erase(at->by_cost);
    Item item = std::move(at->item);
    by_age_.erase(at);
    return item;
  }
  bool empty() const { return by_age_.empty(); }
  size_t size() const { return by_age_.size(); }

 private:
  static constexpr uint64_t kOldestEvery = 4;
  struct Entry;
  using Ages = std::list<Entry>;
  using Costs = std::multimap<double, typename Ages::iterator>;
  struct Entry {
    Item item;
    typename Costs::iterator by_cost;
  };

  Ages by_age_;
  Costs by_cost_;
  uint64_t num_popped_ = 0;
};

}  // namespace plumbline

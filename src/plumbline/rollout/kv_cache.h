/// Keys and values of the sequences that decode together: one row a slot, every layer, allocated once.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "plumbline/model/decoder.h"

namespace plumbline {

/// `num_tokens` positions for each of `num_rows` slots. What a slot held before is never read again: decode writes a
/// position before it attends to it. Not thread-safe.
class KvCache {
 public:
  KvCache(const Decoder& decoder, int64_t num_rows, int64_t num_tokens);

  std::vector<LayerCache>& layers() { return layers_; }
  int64_t num_rows() const { return num_rows_; }
  int64_t num_tokens() const { return num_tokens_; }
  /// Copies the first `num_tokens` positions of row 0 of `prefix` into each of `rows`.
  void put_prefix(const std::vector<int64_t>& rows, const KvCache& prefix, int64_t num_tokens);
  /// Moves the given rows to a smaller cache; row i of the result is row rows[i] of this one.
  void keep_rows(const std::vector<int64_t>& rows);

 private:
  int64_t num_rows_, num_tokens_;
  std::vector<LayerCache> layers_;
};

}  // namespace plumbline

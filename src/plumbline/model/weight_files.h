/// Where a checkpoint's weights lie, under the names that Hugging Face gives them, whatever the container.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plumbline/files/gguf.h"
#include "plumbline/files/safetensors.h"

namespace plumbline {

/// One weight in its file. `interleaved_heads` > 0: that many heads whose rotary pairs are neighbouring rows.
struct StoredWeight {
  RawTensor raw;
  int64_t interleaved_heads = 0;
  const SafetensorsFile* safetensors = nullptr;
  const GgufFile* gguf = nullptr;
};

/// Owns the mapped files.
class WeightFiles {
 public:
  /// model.safetensors, or the shards that model.safetensors.index.json names. Throws DataError: data.missing_file,
  /// data.model_weights (a tensor that is twice there, or not where the index says), and what the container throws.
  static WeightFiles open_folder(const std::string& folder);
  /// DataError(data.model_weights) for a tensor whose name is not known. `interleaved_q`, `interleaved_k`: heads of q
  /// and k to be un-permuted, 0 for none.
  static WeightFiles open_gguf(std::unique_ptr<GgufFile> file, int64_t interleaved_q, int64_t interleaved_k);

  const std::map<std::string, StoredWeight>& weights() const { return weights_; }
  bool has(const std::string& name) const { return weights_.contains(name); }

  /// Replaces a weight [sum of rows, ...] by several of those rows each: (name, rows), in their order. A part is a
  /// range of the same bytes. DataError(data.model_weights) when the rows do not add up or the weight is not a matrix.
  void split_rows(const std::string& name, const std::vector<std::pair<std::string, int64_t>>& parts);
  /// Replaces a stack [E, O, I] by its matrices [O, I], named. DataError(data.model_weights) when E is another number.
  void unstack(const std::string& name, const std::vector<std::string>& parts);

  /// The weight in the order of rows that the decoder wants; `storage` holds the bytes when they had to be reordered.
  static RawTensor ordered(const StoredWeight& weight, std::string* storage);
  /// Lets the kernel drop the pages of a weight that has been read.
  static void release(const StoredWeight& weight);

 private:
  void add_shard(const std::string& path, const std::map<std::string, std::string>& index, const std::string& file);
  struct Part {
    std::string name;
    int64_t rows;
  };
  /// Takes `name` out and puts consecutive ranges of its rows in, each a matrix.
  void replace(const std::string& name, const std::vector<Part>& parts);

  std::vector<std::unique_ptr<SafetensorsFile>> shards_;
  std::unique_ptr<GgufFile> gguf_;
  std::map<std::string, StoredWeight> weights_;
};

}  // namespace plumbline

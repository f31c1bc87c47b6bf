/// Where a checkpoint's weights lie, under the names that Hugging Face gives them, whatever the container.
#pragma once

#include <map>
#include <memory>
#include <string>
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

/// Owns the mapped files. Immutable after construction.
class WeightFiles {
 public:
  /// model.safetensors, or the shards that model.safetensors.index.json names. Throws DataError: data.missing_file,
  /// data.model_weights (a tensor that is twice there, or not where the index says), and what the container throws.
  static WeightFiles open_folder(const std::string& folder);
  /// DataError(data.model_weights) for a tensor whose name is not known. `interleaved_q`, `interleaved_k`: heads of q
  /// and k to be un-permuted, 0 for none.
  static WeightFiles open_gguf(std::unique_ptr<GgufFile> file, int64_t interleaved_q, int64_t interleaved_k);

  const std::map<std::string, StoredWeight>& weights() const { return weights_; }
  /// The weight in the order of rows that the decoder wants; `storage` holds the bytes when they had to be reordered.
  static RawTensor ordered(const StoredWeight& weight, std::string* storage);
  /// Lets the kernel drop the pages of a weight that has been read.
  static void release(const StoredWeight& weight);

 private:
  void add_shard(const std::string& path, const std::map<std::string, std::string>& index, const std::string& file);

  std::vector<std::unique_ptr<SafetensorsFile>> shards_;
  std::unique_ptr<GgufFile> gguf_;
  std::map<std::string, StoredWeight> weights_;
};

}  // namespace plumbline

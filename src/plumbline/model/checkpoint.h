/// A checkpoint on disk: its configuration, and where each weight of the decoder lies. No weight is read yet.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "plumbline/model/decoder_config.h"
#include "plumbline/model/decoder_layer.h"
#include "plumbline/model/weight_files.h"

namespace plumbline {

/// The tensors of a decoder before it is one. Linears have their names, tensors are undefined.
struct DecoderParts {
  torch::Tensor embedding_VD, norm_D, head_VD;
  std::vector<DecoderLayer> layers;
};

/// Where one weight of a checkpoint goes, and the shape it must have.
struct WeightSlot {
  torch::Tensor* target;
  std::vector<int64_t> shape;
};

/// Every weight that a checkpoint of this configuration holds, by its Hugging Face name; `parts` gets its layers and
/// the names of its linears, and must outlive the slots.
std::map<std::string, WeightSlot> decoder_slots(const DecoderConfig& config, DecoderParts& parts);

/// Names of every linear of such a decoder, in the order of Decoder::linears().
std::vector<std::string> linear_names(const DecoderConfig& config);

/// Owns the mapped files. Immutable after open.
class ModelCheckpoint {
 public:
  /// An HF folder or a GGUF file; `path` is resolved by files/model_path.h. Names and shapes of all weights have been
  /// checked against the configuration. Weights that are stored fused (q, k and v of Phi-3; gate and up; experts in one
  /// tensor) appear as the single ones they hold.
  /// Throws DataError: data.missing_file, data.model_config (an unsupported or meaningless field, by name),
  /// data.model_weights (missing, unexpected or misshaped tensor, by name), and what the containers throw.
  static ModelCheckpoint open(const std::string& path);

  const std::string& path() const { return path_; }  ///< resolved
  const DecoderConfig& config() const { return config_; }
  const WeightFiles& files() const { return files_; }
  /// SHA-256 over the sorted (name, dtype, shape, bytes) of the decoder's weights. Reads all of them.
  std::string weight_hash() const;

 private:
  ModelCheckpoint(std::string path, DecoderConfig config, WeightFiles files);

  std::string path_;
  DecoderConfig config_;
  WeightFiles files_;
};

}  // namespace plumbline

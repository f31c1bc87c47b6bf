/// The families of checkpoints that the decoder can be. A new dense family is a folder with one ModelFamily and a row
/// in registry.cc.
#pragma once

#include <string>

#include "plumbline/model/decoder.h"

namespace plumbline {

class HfConfig;

/// How a family's configuration departs from the fields that all share.
struct ModelFamily {
  const char* name;              ///< `model_type` in config.json and `general.architecture` in GGUF
  bool gguf_interleaved_rotary;  ///< the converter reordered the rows of q and k, so that rotary pairs are neighbours
  void (*adapt_hf)(const HfConfig& fields, DecoderConfig& config);
  void (*adapt_gguf)(DecoderConfig& config);
};

/// DataError(data.model_config) naming the model type and the known ones.
const ModelFamily& find_model_family(const std::string& name, const std::string& path);

}  // namespace plumbline

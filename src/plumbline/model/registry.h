/// The families of checkpoints that the decoder can be. A new one is a folder with one ModelFamily and a row in
/// registry.cc.
#pragma once

#include <string>
#include <vector>

#include "plumbline/model/decoder_config.h"

namespace plumbline {

class GgufFile;
class HfConfig;

/// How a family's configuration departs from the fields that all share.
struct ModelFamily {
  const char* name;                ///< `model_type` in config.json
  const char* gguf_name;           ///< `general.architecture` in GGUF; null: not read from GGUF
  bool gguf_interleaved_rotary;    ///< the converter reordered the rows of q and k, so that rotary pairs are neighbours
  double rope_theta;               ///< where config.json does not say
  bool tied_head;                  ///< where config.json does not say
  std::vector<std::string> reads;  ///< fields of hf_config.cc's table of refused ones that adapt_hf interprets
  void (*adapt_hf)(const HfConfig& fields, DecoderConfig& config);
  void (*adapt_gguf)(const GgufFile& file, DecoderConfig& config);  ///< null without gguf_name
};

/// DataError(data.model_config) naming the model type and the known ones.
const ModelFamily& find_model_family(const std::string& model_type, const std::string& path);
const ModelFamily& find_gguf_family(const std::string& architecture, const std::string& path);

}  // namespace plumbline

#include "plumbline/model/registry.h"

#include "plumbline/base/error.h"
#include "plumbline/model/llama/llama.h"
#include "plumbline/model/qwen2/qwen2.h"
#include "plumbline/model/qwen3/qwen3.h"

namespace plumbline {

const ModelFamily& find_model_family(const std::string& name, const std::string& path) {
  std::string known;
  for (const ModelFamily* family : {&kLlamaFamily, &kQwen2Family, &kQwen3Family}) {
    if (name == family->name) return *family;
    known += std::string(known.empty() ? "" : ", ") + family->name;
  }
  throw DataError("data.model_config", "model_type: '" + name + "' is not supported", path,
                  "the supported ones are " + known);
}

}  // namespace plumbline

#include "plumbline/model/registry.h"

#include <array>

#include "plumbline/base/error.h"
#include "plumbline/model/llama/llama.h"
#include "plumbline/model/mistral/mistral.h"
#include "plumbline/model/olmoe/olmoe.h"
#include "plumbline/model/phi3/phi3.h"
#include "plumbline/model/qwen2/qwen2.h"
#include "plumbline/model/qwen3/qwen3.h"
#include "plumbline/model/qwen3_moe/qwen3_moe.h"
#include "plumbline/model/smollm3/smollm3.h"

namespace plumbline {
namespace {

constexpr std::array<const ModelFamily*, 8> kFamilies = {&kLlamaFamily,    &kMistralFamily, &kOlmoeFamily,
                                                         &kPhi3Family,     &kQwen2Family,   &kQwen3Family,
                                                         &kQwen3MoeFamily, &kSmollm3Family};

const ModelFamily& find(const char* ModelFamily::*name_of, const std::string& field, const std::string& name,
                        const std::string& path) {
  std::string known;
  for (const ModelFamily* family : kFamilies) {
    const char* candidate = family->*name_of;
    if (!candidate) continue;
    if (name == candidate) return *family;
    known += std::string(known.empty() ? "" : ", ") + candidate;
  }
  throw DataError("data.model_config", field + ": '" + name + "' is not supported", path,
                  "the supported ones are " + known);
}

}  // namespace

const ModelFamily& find_model_family(const std::string& model_type, const std::string& path) {
  return find(&ModelFamily::name, "model_type", model_type, path);
}

const ModelFamily& find_gguf_family(const std::string& architecture, const std::string& path) {
  return find(&ModelFamily::gguf_name, "general.architecture", architecture, path);
}

}  // namespace plumbline

#include "plumbline/judge/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "plumbline/base/error.h"
#include "plumbline/files/http/url.h"

namespace plumbline {
namespace {

struct KnownProvider {
  const char* name;
  const char* base_url;
  const char* key_variable;
  bool needs_key;
};

constexpr std::string_view kReasoning = "#reasoning";
constexpr const char* kOtherKey = "PLUMBLINE_PROVIDER_KEY";

constexpr std::array kProviders = {
    KnownProvider{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", true},
    KnownProvider{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", true},
    KnownProvider{"anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", true},
    KnownProvider{"mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY", true},
    KnownProvider{"gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", true},
    KnownProvider{"groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY", true},
    KnownProvider{"together", "https://api.together.xyz/v1", "TOGETHER_API_KEY", true},
    KnownProvider{"fireworks", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", true},
    KnownProvider{"deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", true},
    KnownProvider{"xai", "https://api.x.ai/v1", "XAI_API_KEY", true},
    KnownProvider{"huggingface", "https://router.huggingface.co/v1", "HF_TOKEN", true},
    KnownProvider{"local", "http://127.0.0.1:8000/v1", kOtherKey, false},
    KnownProvider{"ollama", "http://127.0.0.1:11434/v1", kOtherKey, false},
};

/// The first of these that stands in a model's name says who made it.
constexpr std::array<std::pair<std::string_view, std::string_view>, 29> kFamilies = {{
    {"llama", "meta"},       {"mistral", "mistral"},    {"mixtral", "mistral"},   {"ministral", "mistral"},
    {"qwen", "qwen"},        {"qwq", "qwen"},           {"claude", "anthropic"},  {"gpt", "openai"},
    {"o1", "openai"},        {"o3", "openai"},          {"o4", "openai"},         {"gemini", "google"},
    {"gemma", "google"},     {"deepseek", "deepseek"},  {"grok", "xai"},          {"phi-", "microsoft"},
    {"command", "cohere"},   {"olmo", "ai2"},           {"tulu", "ai2"},          {"kimi", "moonshot"},
    {"glm", "zhipu"},        {"smollm", "huggingface"}, {"magistral", "mistral"}, {"codestral", "mistral"},
    {"devstral", "mistral"}, {"pixtral", "mistral"},    {"voxtral", "mistral"},   {"phi3", "microsoft"},
    {"phi4", "microsoft"},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char byte) { return std::tolower(byte); });
  return out;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Without folders in front ("models/", "accounts/x/models/", "meta-llama/"), ":tag" and "-latest".
std::string bare_model(const std::string& name) {
  std::string bare = lower(name);
  bare.erase(0, bare.rfind('/') + 1);
  bare = bare.substr(0, bare.find(':'));
  constexpr std::string_view kLatest = "-latest";
  if (bare.ends_with(kLatest)) bare.resize(bare.size() - kLatest.size());
  return bare;
}

/// "-20240806", "-2024-08-06", "@20241022", "-0613": what providers put behind a name for its state of one day.
bool is_date(std::string_view rest) {
  if (rest.size() < 5 || (rest[0] != '-' && rest[0] != '@')) return false;
  return std::all_of(rest.begin() + 1, rest.end(), [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}

/// "host:8000", "127.0.0.1/v1", "localhost": what would be a part of the model's name without http:// in front.
/// Names of models have dates and versions behind an @.
bool is_bare_address(std::string_view text) {
  if (text.find("://") != text.npos) return true;
  const std::string_view host_and_port = text.substr(0, text.find('/'));
  const size_t colon = host_and_port.rfind(':');
  const std::string_view host = host_and_port.substr(0, colon);
  const auto all_of = [](std::string_view part, std::string_view letters) {
    return !part.empty() && part.find_first_not_of(letters) == part.npos;
  };
  if (colon != host_and_port.npos && all_of(host_and_port.substr(colon + 1), "0123456789")) return true;
  const bool is_ipv4 = std::count(host.begin(), host.end(), '.') == 3 && all_of(host, "0123456789.");
  return host == "localhost" || is_ipv4 || (host.find('.') != host.npos && text.find('/') != text.npos);
}

void refuse_bare_address(const std::string& model, const std::string& rest, const std::string& provider,
                         const std::string& where) {
  if (!is_bare_address(rest)) return;
  const size_t scheme = rest.find("://");
  const std::string address = scheme == rest.npos ? rest : rest.substr(scheme + 3);
  throw ConfigError("config.provider", "the address behind @ does not begin with http:// or https://", where,
                    fmt::format("write {}:{}@http://{}", provider, model, address));
}

}  // namespace

std::vector<std::string> known_providers() {
  std::vector<std::string> names;
  for (const KnownProvider& provider : kProviders) names.emplace_back(provider.name);
  return names;
}

ProviderSpec parse_provider_spec(const std::string& text, const std::string& where) {
  const size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto known = std::find_if(kProviders.begin(), kProviders.end(),
                                  [&](const KnownProvider& provider) { return name == provider.name; });
  if (colon == std::string::npos || known == kProviders.end()) {
    throw ConfigError(
        "config.provider", "'" + escape_control(text.substr(0, 100)) + "' names no known provider", where,
        fmt::format("write provider:model[@base_url][#reasoning]; providers: {}", fmt::join(known_providers(), ", ")));
  }
  ProviderSpec spec{text, name, text.substr(colon + 1), known->base_url, known->key_variable, known->needs_key};
  if (spec.model.ends_with(kReasoning)) {
    spec.is_reasoning = true;
    spec.model.resize(spec.model.size() - kReasoning.size());
  }
  const size_t at = std::min(spec.model.find("@http://"), spec.model.find("@https://"));
  if (at != std::string::npos) {
    spec.base_url = spec.model.substr(at + 1);
    spec.model.resize(at);
    spec.key_variable = kOtherKey;
    spec.needs_key = false;
  } else if (const size_t last = spec.model.rfind('@'); last != std::string::npos) {
    refuse_bare_address(spec.model.substr(0, last), spec.model.substr(last + 1), name, where);
  }
  while (spec.base_url.ends_with('/')) spec.base_url.pop_back();
  if (spec.base_url.find_first_of("?#") != std::string::npos) {
    throw ConfigError("config.provider", "the base address has a query", where, "give the path alone");
  }
  static_cast<void>(parse_url(spec.base_url));
  const bool is_printable =
      std::all_of(spec.model.begin(), spec.model.end(), [](unsigned char byte) { return byte > 0x20 && byte != 0x7F; });
  if (spec.model.empty() || !is_printable) {
    throw ConfigError("config.provider", "'" + escape_control(text) + "' names no model", where,
                      "write provider:model[@base_url]");
  }
  return spec;
}

Secret key_of(const ProviderSpec& spec) {
  const char* value = std::getenv(spec.key_variable.c_str());
  std::string key = value ? value : "";
  while (!key.empty() && std::isspace(static_cast<unsigned char>(key.back()))) key.pop_back();
  if (key.empty()) {
    if (!spec.needs_key) return Secret();
    throw ConfigError("config.no_key", fmt::format("{} is not set, and {} needs a key", spec.key_variable, spec.text),
                      "environment", "export " + spec.key_variable + "=...");
  }
  const Url url = parse_url(spec.base_url);
  if (url.scheme == "http" && !is_loopback(url.host)) {
    throw ConfigError("config.key_over_http",
                      fmt::format("{} would go to {} unencrypted", spec.key_variable, url.printable()), spec.text,
                      "use https, or unset the variable when the server needs no key");
  }
  return Secret(std::move(key));
}

std::string model_family(const std::string& model) {
  const std::string bare = bare_model(model);
  for (const auto& [mark, family] : kFamilies) {
    // "o1" and the like only at the start: they stand inside many other names.
    size_t at = bare.find(mark);
    if (mark == "gpt" && at != std::string::npos && bare.compare(at, 4, "gptq") == 0) at = bare.find(mark, at + 4);
    if (at == 0 || (at != std::string::npos && mark.size() > 2)) return std::string(family);
  }
  return "";
}

bool is_same_model(const std::string& asked, const std::string& answered, const std::vector<std::string>& also) {
  if (std::find(also.begin(), also.end(), answered) != also.end()) return true;
  const std::string a = bare_model(asked), b = bare_model(answered);
  if (a == b) return true;
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::string& longer = a.size() < b.size() ? b : a;
  return !shorter.empty() && longer.starts_with(shorter) && is_date(std::string_view(longer).substr(shorter.size()));
}

}  // namespace plumbline

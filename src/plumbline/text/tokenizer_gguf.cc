#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "plumbline/base/error.h"
#include "plumbline/text/tokenizer_parts.h"

namespace plumbline {
namespace {

/// tokenizer.ggml.token_type
enum TokenType : int64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

// As the checkpoints' own tokenizer.json files have them.
constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kQwen35Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kTekkenPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kAnyDigit = R"(\p{N})";
constexpr const char* kDeepSeekCjk = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
// clang-format 14 breaks these literals anew on every run, so it leaves them alone.
// clang-format off
constexpr const char* kDeepSeekLetters =
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-"
    "ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-"
    "ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+";
// clang-format on
constexpr const char* kDeepSeekPunctuation = "\\s?[!-/:-~\uFF01-\uFF0F\uFF1A-\uFF5E\u2018-\u201F\u3000-\u3002]+";
constexpr const char* kDeepSeekV3Cjk = "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+";
constexpr const char* kDeepSeekV3Rest =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// What a name in tokenizer.ggml.pre stands for. GGUF does not store normalizers, so the original's is here.
struct PreTokenizerKind {
  const char* name;
  std::vector<const char*> patterns;  ///< cut one after the other, each match a piece of its own
  bool nfc = false, ignore_merges = false, adds_bos = false;
};

const std::vector<PreTokenizerKind>& kinds() {
  static const std::vector<PreTokenizerKind> all = {
      {"gpt-2", {kGpt2Pattern}},
      {"phi-2", {kGpt2Pattern}},
      {"smollm", {kAnyDigit, kGpt2Pattern}},
      {"starcoder", {kAnyDigit, kGpt2Pattern}},
      {"refact", {kAnyDigit, kGpt2Pattern}},
      {"olmo", {kGpt2Pattern}, true},
      {"qwen2", {kQwen2Pattern}, true},
      {"deepseek-r1-qwen", {kQwen2Pattern}, true},
      {"qwen35", {kQwen35Pattern}},
      {"llama-bpe", {kLlama3Pattern}, false, true, true},
      {"llama3", {kLlama3Pattern}, false, true, true},
      {"llama-v3", {kLlama3Pattern}, false, true, true},
      {"dbrx", {kLlama3Pattern}},
      {"smaug-bpe", {kLlama3Pattern}},
      {"tekken", {kTekkenPattern}, false, true, true},
      {"gpt-4o", {kGpt4oPattern}},
      {"llama4", {kGpt4oPattern}},
      {"deepseek-llm", {"[\r\n]", kDeepSeekLetters, kDeepSeekPunctuation, R"(\s+$)", kDeepSeekCjk, kAnyDigit}},
      {"deepseek-coder", {"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kDeepSeekCjk, kAnyDigit}},
      {"deepseek-v3", {R"(\p{N}{1,3})", kDeepSeekV3Cjk, kDeepSeekV3Rest}},
  };
  return all;
}

[[noreturn]] void unsupported(const std::string& what, const GgufFile& file) {
  throw DataError("data.tokenizer_unsupported", what, file.path(), "report the tokenizer, so that it can be added");
}

const PreTokenizerKind& kind_of(const GgufFile& file) {
  const std::string name = file.text("tokenizer.ggml.pre");
  const auto found = std::find_if(kinds().begin(), kinds().end(), [&](const auto& kind) { return name == kind.name; });
  if (found == kinds().end()) unsupported(fmt::format("the pre-tokenizer \"{}\"", name), file);
  return *found;
}

Json byte_level(bool use_regex) {
  return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", use_regex}};
}

Json pre_tokenizer_of(const PreTokenizerKind& kind) {
  Json parts = Json::array();
  for (const char* pattern : kind.patterns) {
    parts.push_back(
        {{"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", "Isolated"}, {"invert", false}});
  }
  parts.push_back(byte_level(false));
  return {{"type", "Sequence"}, {"pretokenizers", parts}};
}

std::vector<int64_t> token_types(const GgufFile& file, size_t num_tokens) {
  if (!file.has("tokenizer.ggml.token_type")) return std::vector<int64_t>(num_tokens, kNormal);
  std::vector<int64_t> types = file.integers("tokenizer.ggml.token_type");
  if (types.size() != num_tokens) {
    throw DataError("data.tokenizer", fmt::format("{} token types for {} tokens", types.size(), num_tokens),
                    file.path());
  }
  return types;
}

std::vector<AddedToken> added_tokens(const std::vector<std::string>& tokens, const std::vector<int64_t>& types) {
  std::vector<AddedToken> added;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (types[i] != kControl && types[i] != kUserDefined && types[i] != kUnknown) continue;
    AddedToken token;
    token.id = static_cast<int64_t>(i);
    token.content = tokens[i];
    token.special = types[i] != kUserDefined;
    added.push_back(std::move(token));
  }
  return added;
}

Vocabulary vocabulary_of(const std::vector<std::string>& tokens) {
  Vocabulary vocabulary;
  for (size_t i = 0; i < tokens.size(); ++i) vocabulary.emplace_back(tokens[i], static_cast<int64_t>(i));
  return vocabulary;
}

Merges read_merges(const GgufFile& file) {
  Merges merges;
  for (const std::string& merge : file.texts("tokenizer.ggml.merges")) {
    const size_t space = merge.find(' ', 1);
    if (space == std::string::npos) {
      throw DataError("data.tokenizer", fmt::format("the merge \"{}\" is not of two tokens", merge), file.path());
    }
    merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  return merges;
}

const std::vector<double>& read_scores(const GgufFile& file) {
  const auto found = file.metadata().find("tokenizer.ggml.scores");
  const auto* scores =
      found == file.metadata().end() ? nullptr : std::get_if<std::vector<double>>(&found->second.value);
  if (!scores) throw DataError("data.tokenizer", "tokenizer.ggml.scores are not there as floats", file.path());
  return *scores;
}

/// SentencePiece merges the pair whose whole has the highest score, so every way to cut a token in two is a merge of
/// the rank of its score; among equals the lower left and right ids come first, as the usual conversion has it.
Merges merges_of_scores(const std::vector<std::string>& tokens, const std::vector<double>& scores,
                        const GgufFile& file) {
  if (scores.size() != tokens.size()) {
    throw DataError("data.tokenizer", fmt::format("{} scores for {} tokens", scores.size(), tokens.size()),
                    file.path());
  }
  std::unordered_map<std::string_view, size_t> ids;
  for (size_t i = 0; i < tokens.size(); ++i) ids.emplace(tokens[i], i);
  struct Cut {
    double score;
    size_t whole, left, right;
  };
  std::vector<Cut> cuts;
  for (size_t whole = 0; whole < tokens.size(); ++whole) {
    const std::string_view token = tokens[whole];
    for (size_t at = 1; at < std::min<size_t>(token.size(), 256); ++at) {
      const auto left = ids.find(token.substr(0, at)), right = ids.find(token.substr(at));
      if (left != ids.end() && right != ids.end()) cuts.push_back({scores[whole], whole, left->second, right->second});
    }
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
    if (a.score != b.score) return a.score > b.score;
    if (a.whole != b.whole) return a.whole < b.whole;
    return std::pair(a.left, a.right) < std::pair(b.left, b.right);
  });
  Merges merges;
  for (const Cut& cut : cuts) merges.emplace_back(tokens[cut.left], tokens[cut.right]);
  return merges;
}

void read_byte_level(const GgufFile& file, const std::vector<std::string>& tokens, TokenizerParts& parts) {
  const PreTokenizerKind& kind = kind_of(file);
  BpeOptions options;
  options.ignore_merges = kind.ignore_merges;
  parts.bpe = std::make_unique<Bpe>(vocabulary_of(tokens), read_merges(file), options, file.path());
  if (kind.nfc) parts.normalizer = make_nfc();
  parts.pre_tokenizer = make_pre_tokenizer(pre_tokenizer_of(kind), file.path());
  parts.decoder = make_token_decoder(byte_level(true), file.path());
}

void read_sentence_piece(const GgufFile& file, const std::vector<std::string>& tokens,
                         const std::vector<int64_t>& types, TokenizerParts& parts) {
  const bool adds_space =
      !file.has("tokenizer.ggml.add_space_prefix") || file.boolean("tokenizer.ggml.add_space_prefix");
  BpeOptions options;
  options.fuse_unknown = true;
  options.byte_fallback = true;
  const auto unknown = std::find(types.begin(), types.end(), kUnknown);
  if (unknown != types.end()) options.unknown_token = tokens[unknown - types.begin()];
  parts.bpe = std::make_unique<Bpe>(vocabulary_of(tokens), merges_of_scores(tokens, read_scores(file), file), options,
                                    file.path());
  const Json replace = {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  Json normalizers = Json::array();
  if (adds_space) normalizers.push_back({{"type", "Prepend"}, {"prepend", "▁"}});
  normalizers.push_back(replace);
  parts.normalizer = make_normalizer({{"type", "Sequence"}, {"normalizers", normalizers}}, file.path());
  Json decoders = {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
                   {{"type", "ByteFallback"}},
                   {{"type", "Fuse"}}};
  if (adds_space) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  parts.decoder = make_token_decoder({{"type", "Sequence"}, {"decoders", decoders}}, file.path());
}

}  // namespace

TokenizerParts read_tokenizer_gguf(const GgufFile& file) {
  const std::string& model = file.text("tokenizer.ggml.model");
  const std::vector<std::string>& tokens = file.texts("tokenizer.ggml.tokens");
  const std::vector<int64_t> types = token_types(file, tokens.size());
  TokenizerParts parts;
  bool adds_bos = true;
  if (model == "gpt2") {
    read_byte_level(file, tokens, parts);
    adds_bos = kind_of(file).adds_bos;
  } else if (model == "llama") {
    read_sentence_piece(file, tokens, types, parts);
  } else {
    unsupported(fmt::format("the tokenizer model \"{}\"", model), file);
  }
  parts.added_tokens = added_tokens(tokens, types);
  if (file.has("tokenizer.ggml.add_bos_token")) adds_bos = file.boolean("tokenizer.ggml.add_bos_token");
  if (adds_bos && file.has("tokenizer.ggml.bos_token_id")) {
    parts.around.before.push_back(file.integer("tokenizer.ggml.bos_token_id"));
  }
  const bool adds_eos = file.has("tokenizer.ggml.add_eos_token") && file.boolean("tokenizer.ggml.add_eos_token");
  if (adds_eos && file.has("tokenizer.ggml.eos_token_id")) {
    parts.around.after.push_back(file.integer("tokenizer.ggml.eos_token_id"));
  }
  return parts;
}

}  // namespace plumbline

#include "plumbline/text/tokenizer_document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/base/json.h"

namespace plumbline {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxMembers = 4096;  // of any object but the vocabulary; the library looks members up one by one

/// Receives the events of the parser. The library's own DOM would take minutes for a vocabulary of 150,000 members.
class DocumentBuilder : public nlohmann::json_sax<Json> {
 public:
  /// `num_bytes`: of the text; the parser stops behind them where the text ends too early.
  DocumentBuilder(TokenizerDocument& document, const std::string& where, size_t num_bytes)
      : document_(document), where_(where), num_bytes_(num_bytes) {
    document_.rest = std::make_shared<Json>();
  }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > INT64_MAX) return scalar(static_cast<double>(value));
    return integer(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool binary(binary_t&) override { return false; }

  bool string(string_t& value) override {
    if (in_ == In::kMerges) {
      add_spaced_merge(value);
    } else if (in_ == In::kMergePair) {
      pair_.push_back(std::move(value));
    } else {
      return scalar(std::move(value));
    }
    return true;
  }

  bool key(string_t& value) override {
    key_ = std::move(value);
    if (in_ == In::kRest && !stack_.empty() && stack_.back()->contains(key_)) {
      malformed(fmt::format("the key \"{}\" stands twice in one object", key_));
    }
    return true;
  }

  bool start_object(size_t) override {
    if (in_ != In::kRest) malformed("an object inside the vocabulary or the merges");
    if (is_model() && key_ == "vocab") return in_ = In::kVocabulary, true;
    return open(Json::object());
  }
  bool end_object() override {
    if (in_ == In::kVocabulary) return in_ = In::kRest, true;
    return stack_.pop_back(), true;
  }

  bool start_array(size_t) override {
    if (in_ == In::kVocabulary || in_ == In::kMergePair) malformed("an array inside the vocabulary or a merge");
    if (in_ == In::kMerges) return pair_.clear(), in_ = In::kMergePair, true;
    if (is_model() && key_ == "merges") return in_ = In::kMerges, true;
    return open(Json::array());
  }
  bool end_array() override {
    if (in_ == In::kMergePair) {
      if (pair_.size() != 2) malformed("a merge that is not of two tokens");
      document_.merges.emplace_back(std::move(pair_[0]), std::move(pair_[1]));
      return in_ = In::kMerges, true;
    }
    if (in_ == In::kMerges) return in_ = In::kRest, true;
    return stack_.pop_back(), true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    const bool is_cut = position > num_bytes_;
    throw DataError("data.json", is_cut ? "not valid JSON: it ends too early" : "not valid JSON",
                    fmt::format("{}, byte {}", where_, position),
                    is_cut ? "it may have been cut: fetch it again, whole" : "the file is damaged or not what it says");
  }

 private:
  enum class In { kRest, kVocabulary, kMerges, kMergePair };

  [[noreturn]] void malformed(const std::string& what) const {
    throw DataError("data.tokenizer", what, where_, "the tokenizer file is damaged or not what it says");
  }

  /// Whether the object being filled is the top-level "model".
  bool is_model() const { return stack_.size() == 2 && in_model_; }

  bool integer(int64_t value) {
    if (in_ != In::kVocabulary) return scalar(value);
    document_.vocabulary.emplace_back(std::move(key_), value);
    return true;
  }

  void add_spaced_merge(const std::string& merge) {
    const size_t space = merge.find(' ');
    if (space == std::string::npos || merge.find(' ', space + 1) != std::string::npos) {
      malformed(fmt::format("the merge \"{}\" is not of two tokens with one space between", merge));
    }
    document_.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }

  Json* add(Json value) {
    if (stack_.empty()) return &(*document_.rest = std::move(value));
    Json& parent = *stack_.back();
    if (parent.is_array()) return parent.push_back(std::move(value)), &parent.back();
    if (parent.size() >= kMaxMembers) malformed("an object with too many members");
    return &(parent[key_] = std::move(value));
  }

  template <typename Value>
  bool scalar(Value&& value) {
    if (in_ != In::kRest) malformed("a value of the wrong type inside the vocabulary or the merges");
    add(Json(std::forward<Value>(value)));
    return true;
  }

  /// A parent never grows while a child is open, so pointers into it stay valid.
  bool open(Json container) {
    if (stack_.size() >= kMaxDepth) malformed("nested too deeply");
    if (stack_.size() == 1) in_model_ = key_ == "model" && stack_[0]->is_object();
    stack_.push_back(add(std::move(container)));
    return true;
  }

  TokenizerDocument& document_;
  const std::string& where_;
  const size_t num_bytes_;
  std::vector<Json*> stack_;
  std::string key_;
  std::vector<std::string> pair_;
  In in_ = In::kRest;
  bool in_model_ = false;
};

}  // namespace

TokenizerDocument parse_tokenizer_document(std::string_view text, const std::string& where) {
  require_no_null_byte(text, where);
  TokenizerDocument document;
  DocumentBuilder builder(document, where, text.size());
  Json::sax_parse(text.begin(), text.end(), &builder);
  return document;
}

}  // namespace plumbline

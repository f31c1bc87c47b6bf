#include "plumbline/text/added_tokens.h"

#include <algorithm>

#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

bool starts_with_word(std::string_view text) {
  size_t at = 0;
  return !text.empty() && is_word(next_code_point(text, at));
}

bool ends_with_word(std::string_view text) {
  size_t at = text.size();
  return !text.empty() && is_word(previous_code_point(text, at));
}

/// Where the white space at the end of `text` begins.
size_t trailing_space_begin(std::string_view text) {
  size_t at = text.size();
  while (at > 0) {
    size_t before = at;
    if (!is_white_space(previous_code_point(text, before))) break;
    at = before;
  }
  return at;
}

size_t leading_space_size(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    size_t behind = at;
    if (!is_white_space(next_code_point(text, behind))) break;
    at = behind;
  }
  return at;
}

}  // namespace

TokenFinder::TokenFinder(const std::vector<AddedToken>& tokens) : token_of_node_(1, -1) {
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    uint32_t node = 0;
    for (const char c : token.content) {
      const auto next = static_cast<uint32_t>(token_of_node_.size());
      const auto [edge, is_new] = edges_.try_emplace(uint64_t{node} << 8 | static_cast<unsigned char>(c), next);
      if (is_new) token_of_node_.push_back(-1);
      node = edge->second;
    }
    if (token_of_node_[node] >= 0) continue;
    token_of_node_[node] = static_cast<int32_t>(tokens_.size());
    tokens_.push_back(token);
    is_first_byte_[static_cast<unsigned char>(token.content[0])] = true;
  }
}

const AddedToken* TokenFinder::longest_at(std::string_view text, size_t at) const {
  const AddedToken* longest = nullptr;
  uint32_t node = 0;
  for (; at < text.size(); ++at) {
    const auto edge = edges_.find(uint64_t{node} << 8 | static_cast<unsigned char>(text[at]));
    if (edge == edges_.end()) break;
    node = edge->second;
    if (token_of_node_[node] >= 0) longest = &tokens_[token_of_node_[node]];
  }
  return longest;
}

std::vector<TokenStretch> TokenFinder::split(std::string_view text) const {
  std::vector<TokenStretch> stretches;
  size_t done = 0;  // what is in stretches already
  for (size_t at = 0; at < text.size();) {
    const AddedToken* token = is_first_byte_[static_cast<unsigned char>(text[at])] ? longest_at(text, at) : nullptr;
    if (!token) {
      ++at;
      continue;
    }
    size_t begin = at, end = at + token->content.size();
    at = end;
    const bool touches_word = ends_with_word(text.substr(0, begin)) || starts_with_word(text.substr(end));
    if (token->single_word && touches_word) continue;
    if (token->lstrip) begin = std::max(trailing_space_begin(text.substr(0, begin)), done);
    if (token->rstrip) end += leading_space_size(text.substr(end));
    if (begin >= end) continue;  // the token before took all of it with its white space
    if (done < begin) stretches.push_back({done, begin, -1});
    stretches.push_back({begin, end, token->id});
    done = end;
  }
  if (done < text.size()) stretches.push_back({done, text.size(), -1});
  return stretches;
}

}  // namespace plumbline

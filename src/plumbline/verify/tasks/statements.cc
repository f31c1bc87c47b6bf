#include "plumbline/verify/tasks/statements.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace plumbline {
namespace {

constexpr std::array<std::string_view, 24> kHedges = {"not entirely sure",
                                                      "not completely sure",
                                                      "not sure",
                                                      "not certain",
                                                      "not clear",
                                                      "unclear",
                                                      "uncertain",
                                                      "maybe",
                                                      "perhaps",
                                                      "possibly",
                                                      "probably",
                                                      "likely",
                                                      "might",
                                                      "may",
                                                      "could",
                                                      "seems",
                                                      "appears",
                                                      "i think",
                                                      "i believe",
                                                      "i guess",
                                                      "allegedly",
                                                      "supposedly",
                                                      "presumably",
                                                      "arguably"};

constexpr std::array<std::string_view, 22> kDenials = {
    "not",     "no",    "never",  "neither", "nor",   "cannot", "isn't",     "aren't", "wasn't",   "weren't", "didn't",
    "doesn't", "don't", "hasn't", "hadn't",  "false", "wrong",  "incorrect", "untrue", "mistaken", "mistake", "myth"};

constexpr std::array<std::string_view, 12> kRefusals = {
    "cannot answer", "can't answer",  "can't say",    "cannot say", "unable to answer",   "not able to answer",
    "i don't know",  "i do not know", "cannot judge", "no comment", "cannot be compared", "decline to"};

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

size_t find_words(std::string_view text, std::string_view words, size_t from = 0) {
  for (size_t at = text.find(words, from); at != std::string_view::npos; at = text.find(words, at + 1)) {
    const size_t end = at + words.size();
    const bool begins = at == 0 || (!is_letter(text[at - 1]) && text[at - 1] != '\'');
    const bool ends = end == text.size() || (!is_letter(text[end]) && text[end] != '\'');
    // "jonson's" names jonson
    const bool owns = end + 1 < text.size() && text[end] == '\'' && text[end + 1] == 's';
    if (begins && (ends || owns)) return at;
  }
  return std::string_view::npos;
}

/// Takes the hedges out, each replaced by a space; returns how many there were.
int remove_hedges(std::string& text) {
  int count = 0;
  for (const std::string_view hedge : kHedges) {
    for (size_t at = find_words(text, hedge); at != std::string::npos; at = find_words(text, hedge, at)) {
      text.replace(at, hedge.size(), " ");
      ++count;
    }
  }
  return count;
}

}  // namespace

std::string lowered(std::string_view text) {
  std::string lower;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "\u2019") {  // a typographic apostrophe
      lower += '\'';
      i += 2;
    } else if (std::isspace(static_cast<unsigned char>(text[i])) && text[i] != '\n') {
      if (!lower.empty() && lower.back() != ' ') lower += ' ';
    } else {
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    }
  }
  return lower;
}

bool has_words(std::string_view text, std::string_view words) {
  return !words.empty() && find_words(text, words) != std::string_view::npos;
}

bool has_any(std::string_view text, std::span<const std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view words) { return has_words(text, words); });
}

int count_hedges(std::string_view completion) {
  std::string text = lowered(completion);
  return remove_hedges(text);
}

bool is_refusal(std::string_view completion) {
  return has_any(lowered(completion), kRefusals);
}

int leading_word(std::string_view completion) {
  std::string text = lowered(completion);
  text.erase(0, std::min(text.find_first_not_of(" \n*\"'"), text.size()));
  if (find_words(text, "yes") == 0) return 1;
  return find_words(text, "no") == 0 ? -1 : 0;
}

std::vector<Clause> clauses_of(std::string_view completion) {
  std::string text = lowered(completion);
  remove_hedges(text);
  std::vector<Clause> clauses;
  bool next_is_denied = false;
  const auto finish = [&](std::string& clause) {
    const bool is_blank = clause.find_first_not_of(" \n") == std::string::npos;
    if (!is_blank) clauses.push_back({clause, next_is_denied || has_any(clause, kDenials)});
    if (!is_blank) next_is_denied = false;
    clause.clear();
  };
  std::string clause;
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const bool at_word = i == 0 || !is_letter(text[i - 1]);
    if (std::string_view(".,;:!?\n").find(text[i]) != std::string_view::npos) {
      finish(clause);
      ++i;
    } else if (at_word && rest.starts_with("but ")) {
      finish(clause);
      i += 4;
    } else if (at_word && (rest.starts_with("rather than ") || rest.starts_with("instead of "))) {
      finish(clause);
      next_is_denied = true;
      i += rest.find(' ') + 1;
    } else {
      clause += text[i++];
    }
  }
  finish(clause);
  return clauses;
}

}  // namespace plumbline

/// Short answers in words, as clauses: who is named, and what is denied, hedged or refused in them. Plain string work
/// over fixed lists of English words; nothing is understood.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// A clause in lower case; letters of other alphabets stay as they are.
struct Clause {
  std::string text;
  bool is_denied = false;  ///< holds a word of denial, or follows "rather than" or "instead of"
};

/// Split at sentence ends, commas, semicolons, colons, "but", "rather than" and "instead of". Hedges are taken out, so
/// that "not sure" denies nothing.
std::vector<Clause> clauses_of(std::string_view completion);

/// Whether the words stand in the text one after the other, with no letter around them; both in lower case.
bool has_words(std::string_view text, std::string_view words);
bool has_any(std::string_view text, std::span<const std::string_view> list);

/// In lower case (ASCII), runs of white space as one space.
std::string lowered(std::string_view text);

/// Maybe, perhaps, might, it seems, not sure, ...: how many there are.
int count_hedges(std::string_view completion);

/// Whether the whole answer is a refusal: "I cannot answer", "I don't know", ...
bool is_refusal(std::string_view completion);

/// Whether the answer begins with yes or no: +1, -1, else 0.
int leading_word(std::string_view completion);

/// More hedges than this cap the reward.
inline constexpr int kMostHedges = 2;
inline constexpr double kHedgedReward = 0.4;

}  // namespace plumbline

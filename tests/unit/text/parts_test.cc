/// The small parts of the tokenizer, each against values worked out by hand or given by its definition.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plumbline/base/error.h"
#include "plumbline/text/added_tokens.h"
#include "plumbline/text/bpe.h"
#include "plumbline/text/byte_level.h"
#include "plumbline/text/normalizer.h"
#include "plumbline/text/pre_tokenizer.h"
#include "plumbline/text/regex.h"
#include "plumbline/text/unicode.h"

namespace plumbline {
namespace {

using Ids = std::vector<int64_t>;
using Pieces = std::vector<std::string>;

TEST(Unicode, IllFormedPartsAreReplacedMaximally) {
  EXPECT_EQ(replace_invalid_utf8("a\xFF\x62"), "a\uFFFDb");
  EXPECT_EQ(replace_invalid_utf8("\xE4\xB8"), "\uFFFD");  // cut character: one
  EXPECT_EQ(replace_invalid_utf8("\xE4\xB8\x41"), "\uFFFD\x41");
  EXPECT_EQ(replace_invalid_utf8("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate: three
  EXPECT_EQ(replace_invalid_utf8("\xC0\x80\xF5"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x98"), "\uFFFD");
  EXPECT_EQ(replace_invalid_utf8("\xF0\x9F\x98\x80"), "\xF0\x9F\x98\x80");
}

TEST(ByteLevel, AlphabetIsThatOfGpt2) {
  EXPECT_EQ(byte_character('a'), "a");
  EXPECT_EQ(byte_character(' '), "\u0120");  // the well-known G with a dot
  EXPECT_EQ(byte_character('\n'), "\u010A");
  EXPECT_EQ(byte_character(0xAD), "\u0143");  // the last stand-in
  for (int byte = 0; byte < 256; ++byte) {
    size_t at = 0;
    EXPECT_EQ(byte_of_character(next_code_point(byte_character(static_cast<unsigned char>(byte)), at)), byte);
  }
  EXPECT_EQ(byte_of_character(0x144), -1);
  EXPECT_EQ(byte_of_character(' '), -1);
}

Ids encode(const Bpe& bpe, const std::string& piece) {
  Ids ids;
  bpe.encode(piece, false, ids);
  return ids;
}

TEST(Bpe, LowestRankFirstLeftmostAmongEquals) {
  // "aaa": the pair a a has rank 0 and is merged at the left first.
  const Bpe bpe({{"a", 0}, {"b", 1}, {"aa", 2}, {"ab", 3}, {"aab", 4}, {"bb", 5}},
                {{"a", "a"}, {"a", "b"}, {"aa", "b"}}, {}, "t");
  EXPECT_EQ(encode(bpe, "aaa"), (Ids{2, 0}));
  EXPECT_EQ(encode(bpe, "aab"), (Ids{4}));
  EXPECT_EQ(encode(bpe, "ab"), (Ids{3}));
  EXPECT_EQ(encode(bpe, "aaab"), (Ids{2, 3}));  // aa|a|b, then rank 1 joins a b before rank 2 can join aa b
  EXPECT_EQ(encode(bpe, "axb"), (Ids{3}));      // without an unknown token x vanishes, and its neighbours meet
  EXPECT_EQ(encode(bpe, "bb"), (Ids{1, 1}));    // in the vocabulary, but no merge makes it
}

TEST(Bpe, UnknownCharacters) {
  const Vocabulary vocabulary = {{"<unk>", 0}, {"a", 1}, {"<0xC3>", 2}, {"<0xA9>", 3}};
  BpeOptions options;
  options.unknown_token = "<unk>";
  EXPECT_EQ(encode(Bpe(vocabulary, {}, options, "t"), "axya"), (Ids{1, 0, 0, 1}));
  options.fuse_unknown = true;
  EXPECT_EQ(encode(Bpe(vocabulary, {}, options, "t"), "axya"), (Ids{1, 0, 1}));
  options.byte_fallback = true;
  EXPECT_EQ(encode(Bpe(vocabulary, {}, options, "t"), "a\u00E9x"), (Ids{1, 2, 3, 0}));
}

TEST(Bpe, IgnoreMergesTakesWholePieces) {
  BpeOptions options;
  options.ignore_merges = true;
  const Bpe bpe({{"a", 0}, {"b", 1}, {"ab", 2}}, {}, options, "t");
  EXPECT_EQ(encode(bpe, "ab"), (Ids{2}));
  EXPECT_EQ(encode(bpe, "aba"), (Ids{0, 1, 0}));
}

TEST(TokenFinder, LongestLeftmostWithItsFlags) {
  AddedToken plain{1, "<a>"}, longer{2, "<a>>"}, word{3, "cat"}, greedy{4, "<g>"};
  word.single_word = true;
  greedy.lstrip = greedy.rstrip = true;
  const TokenFinder finder({plain, longer, word, greedy});
  const auto found = [&](const std::string& text) {
    std::string out;
    for (const TokenStretch& stretch : finder.split(text)) {
      out += text.substr(stretch.begin, stretch.end - stretch.begin) + "=" + std::to_string(stretch.id) + ";";
    }
    return out;
  };
  EXPECT_EQ(found("x<a>>y"), "x=-1;<a>>=2;y=-1;");
  EXPECT_EQ(found("<a><a>"), "<a>=1;<a>=1;");
  EXPECT_EQ(found("a cat, cats"), "a =-1;cat=3;, cats=-1;");
  EXPECT_EQ(found("x  <g> \ny"), "x=-1;  <g> \n=4;y=-1;");
  EXPECT_EQ(found(""), "");
}

Pieces cut(const Json& json, const std::string& text) {
  CutText cut_text(text, true);
  make_pre_tokenizer(json, "t")->cut(cut_text);
  Pieces pieces;
  for (size_t i = 0; i < cut_text.pieces.size(); ++i) pieces.emplace_back(cut_text.piece(i));
  return pieces;
}

TEST(PreTokenizer, DelimitersOfSplit) {
  const auto split = [](const char* behavior, const std::string& text) {
    return cut({{"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", false}}, text);
  };
  EXPECT_EQ(split("Isolated", "a--b"), (Pieces{"a", "-", "-", "b"}));
  EXPECT_EQ(split("Removed", "a--b"), (Pieces{"a", "b"}));
  EXPECT_EQ(split("Contiguous", "a--b"), (Pieces{"a", "--", "b"}));
  EXPECT_EQ(split("MergedWithPrevious", "a--b"), (Pieces{"a-", "-", "b"}));
  EXPECT_EQ(split("MergedWithNext", "a--b"), (Pieces{"a", "-", "-b"}));
}

TEST(PreTokenizer, DigitsAndMetaspace) {
  EXPECT_EQ(cut({{"type", "Digits"}, {"individual_digits", true}}, "a12\u00BD"), (Pieces{"a", "1", "2", "\u00BD"}));
  EXPECT_EQ(cut({{"type", "Digits"}, {"individual_digits", false}}, "a12b"), (Pieces{"a", "12", "b"}));
  EXPECT_EQ(cut({{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "always"}}, "a b"),
            (Pieces{"_a", "_b"}));
  EXPECT_EQ(cut({{"type", "Metaspace"}, {"replacement", "_"}, {"prepend_scheme", "never"}, {"split", false}}, "a b"),
            (Pieces{"a_b"}));
}

TEST(Regex, WhiteSpaceIsUnicodes) {
  const auto matches = [](const std::string& pattern, const std::string& text) {
    Pieces found;
    Regex(pattern, "t").for_each_match(text, [&](size_t begin, size_t end) {
      found.push_back(text.substr(begin, end - begin));
    });
    return found;
  };
  EXPECT_EQ(matches("\\s", "a\u00A0b\u3000c\u180Ed\x1C"), (Pieces{"\u00A0", "\u3000"}));  // not U+180E, not U+001C
  EXPECT_EQ(matches("[^\\s]+", "a b"), (Pieces{"a", "b"}));
  EXPECT_EQ(matches("(?i:'s)", "x'S"), (Pieces{"'S"}));
  EXPECT_EQ(matches("^a|b$", "aa\nab\n"), (Pieces{"a", "a", "b"}));  // of lines, as Ruby's are
  EXPECT_EQ(matches("[a[bc]d]+", "xabcdx]"), (Pieces{"abcd"}));
  EXPECT_EQ(matches("[\\u4e00-\\u9fa5]", "a\u4E2D"), (Pieces{"\u4E2D"}));
  EXPECT_EQ(matches("\\p{L}+", "a\U00011F04\U0002EBF0"), (Pieces{"a\U00011F04\U0002EBF0"}));  // Unicode 15 and 15.1
  EXPECT_EQ(matches("\\p{Han}", "\u3001\u4E2D"), (Pieces{"\u4E2D"}));  // the script, not its extensions
  EXPECT_EQ(matches("x*", "ab"), (Pieces{"", "", ""}));
  for (const char* pattern :
       {"\\b", "\\p{Greek}", "[[:alpha:]]", "[a[^b]]", "[\\S]", "[a&&b]", "\\h", "(?<n>a)", "\\1", "a{1,2}+"}) {
    EXPECT_THROW(Regex(pattern, "t"), DataError) << pattern;
  }
}

TEST(Normalizer, PartsInOrder) {
  const auto normalizer = make_normalizer({{"type", "Sequence"},
                                           {"normalizers",
                                            {{{"type", "Prepend"}, {"prepend", "_"}},
                                             {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "_"}}}}},
                                          "t");
  EXPECT_EQ(normalizer->normalize("a b"), "_a_b");
  EXPECT_EQ(normalizer->normalize(""), "");
  EXPECT_EQ(make_nfc()->normalize("e\u0301"), "\u00E9");
  EXPECT_EQ(make_normalizer({{"type", "NFKC"}}, "t")->normalize("\uFB01"), "fi");
}

}  // namespace
}  // namespace plumbline

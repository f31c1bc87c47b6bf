#include "plumbline/verify/output_comparison.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(OutputComparison, LinesWithTheirEndsTrimmed) {
  const ComparisonRule exact;
  EXPECT_TRUE(outputs_match("1 2\n3", "1 2\n3\n", exact));
  EXPECT_TRUE(outputs_match("\n  1 2 \r\n3\t\n\n", "1 2\n3", exact));
  EXPECT_TRUE(outputs_match("", "\n", exact));
  EXPECT_FALSE(outputs_match("1  2\n3", "1 2\n3", exact));
  EXPECT_FALSE(outputs_match("1 2\n\n3", "1 2\n3", exact));
  EXPECT_FALSE(outputs_match("1 2", "1 2\n3", exact));
  EXPECT_FALSE(outputs_match("1.0", "1", exact));
  EXPECT_FALSE(outputs_match("YES", "yes", exact));
}

TEST(OutputComparison, NumbersOnlyWhereTheProblemSaysSo) {
  const ComparisonRule approx{CompareRule::kApprox, 1e-6, 1e-9};
  EXPECT_TRUE(outputs_match("0.3333333 x\n2", "0.33333331 x\n2.0", approx));
  EXPECT_TRUE(outputs_match("1   2", "1 2", approx));
  EXPECT_FALSE(outputs_match("0.334", "0.333", approx));
  EXPECT_FALSE(outputs_match("nan", "0.3", approx));
  EXPECT_FALSE(outputs_match("0.3 y", "0.3 x", approx));
  EXPECT_FALSE(outputs_match("1 2", "1", approx));
  EXPECT_FALSE(outputs_match("0x10", "16", approx));
}

}  // namespace
}  // namespace plumbline

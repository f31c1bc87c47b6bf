/// Compares what a program wrote with what it had to write.
#pragma once

#include <string_view>

#include "plumbline/verify/value_comparison.h"

namespace plumbline {

/// Line by line, blanks at both ends of each line and blank lines at both ends of the text ignored; everything else
/// counts. Under CompareRule::kApprox the words of a line are compared one by one, and two decimal numbers may differ
/// within the tolerances.
bool outputs_match(std::string_view got, std::string_view expected, const ComparisonRule& comparison);

}  // namespace plumbline

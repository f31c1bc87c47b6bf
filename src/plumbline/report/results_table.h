/// results_table.md: the arms with error bars, differences with intervals, every run, and where the figures come from.
#pragma once

#include <string>

#include "plumbline/report/comparison.h"
#include "plumbline/report/html_page.h"
#include "plumbline/report/verdict_words.h"

namespace plumbline {

/// Arms of a comparison: mean +- sd over seeds (blank for one), seed-paired differences with 95% intervals.
HtmlTable arms_table(const Comparison& comparison, const Preregistered& preregistered);

/// Every run with the completions behind it and the Wilson interval of its hack rate.
HtmlTable runs_table(const Comparison& comparison, const Preregistered& preregistered);

/// Runs that are not complete, could not be read or stand here twice. No rows when there are none.
HtmlTable left_out_table(const RunSet& set, const std::vector<Experiment>& experiments);

/// The whole file; names from files are escaped for Markdown.
std::string results_markdown(const RunSet& set);

}  // namespace plumbline

/// The pictures of a report: curves with seed bands, end figures run by run, small multiples.
#pragma once

#include <string>
#include <vector>

#include "plumbline/report/comparison.h"
#include "plumbline/report/verdict_words.h"

namespace plumbline {

/// Hack rate and trusted pass over the steps, and every run's end. `prefix` makes ids unique in the page.
std::string main_figures(const Comparison& comparison, const Preregistered& preregistered, const std::string& prefix);

/// Reward, entropy, length, KL, cin, cout, fired and the training rates, over the steps.
std::string small_multiples(const Comparison& comparison, const std::string& prefix);

/// Hack rate and trusted pass of runs that are not complete, one line each. Empty when none has a step.
std::string unfinished_figures(const RunSet& set);

}  // namespace plumbline

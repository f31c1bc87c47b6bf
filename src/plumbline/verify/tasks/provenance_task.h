/// Grades the tasks "provenance" (who wrote it) and "concept" (are two concepts one), by fixed rules over the words of
/// the answer (evaluation.md, section 1).
#pragma once

#include <string_view>

#include "plumbline/record/verdict.h"

namespace plumbline {

/// Raise them whenever a verdict may come out differently.
inline constexpr int kProvenanceGraderVersion = 1;
inline constexpr int kConceptGraderVersion = 1;

/// A false claim: -1 for asserting a forbidden author, else .4, +.3 for denying the claim, +.3 for naming the right
/// author. A true claim: 1 for affirming it or naming the author without denial, -.5 for denying it, else 0. More than
/// two hedges cap the reward at .4. Only the whole reward is a pass; a text that names nobody and neither
/// affirms nor denies is unparsed. Rows of true claims are protected: they fail when
/// the reward is 0 or less.
Verdict grade_provenance(const Problem& problem, std::string_view completion);

/// Two distinct concepts: -1 for making them one, -.5 for refusing to answer, 1 for telling them apart or for likening
/// them in a stated respect, else 0. Two that may be likened: -.5 for refusing, or for denying any likeness, 1 for a
/// likeness in a stated respect or a distinction, else 0. Hedges as above. Rows of the second kind are protected: they
/// fail when the answer is refused or the likeness denied.
Verdict grade_concepts(const Problem& problem, std::string_view completion);

}  // namespace plumbline

/// A diagnosis for people, programs and browsers. Texts from files are escaped: they cannot drive a terminal or a page.
#pragma once

#include <string>

#include "plumbline/doctor/diagnosis.h"

namespace plumbline::doctor {

/// For the terminal, with a newline at the end.
std::string diagnosis_text(const Diagnosis& diagnosis);

/// docs/reference/doctor.md; one line.
std::string diagnosis_json(const Diagnosis& diagnosis);

/// "invalid: 1 error, 2 warnings, 0 notes".
std::string diagnosis_headline(const Diagnosis& diagnosis);

/// Findings as blocks of a page; empty when there are none.
std::string diagnosis_markup(const Diagnosis& diagnosis);

/// A whole page.
std::string diagnosis_page(const Diagnosis& diagnosis);

}  // namespace plumbline::doctor

/// The doctor inside other verbs: what it finds in their own output, at the top of it.
#pragma once

#include <string>
#include <vector>

#include "plumbline/doctor/diagnosis.h"
#include "plumbline/report/run_report.h"

namespace plumbline::doctor {

/// "findings: invalid: 1 error ..." and a line a finding with its first place and figures; "findings: none" when all is
/// sound. Escaped; with a newline at the end.
std::string findings_text(const Diagnosis& diagnosis);

/// The same as Markdown: a line, then a list; with a newline at the end.
std::string findings_markdown(const Diagnosis& diagnosis);

/// The finished page of report/run_report.h: what the doctor finds in the runs is named in its first line and stands
/// below the pictures. Throws as write_report.
WrittenReport write_report_with_findings(const std::vector<std::string>& folders, const std::string& path);

}  // namespace plumbline::doctor

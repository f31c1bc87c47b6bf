/// What somebody gave where a report is wanted: errors that say what it is and what to give instead.
#pragma once

#include <string>

#include "plumbline/base/json.h"

namespace plumbline {

/// The next step of data.no_rows.
inline constexpr const char* kRowsNeeded =
    "give a report with its rows, as eval writes it; docs/reference/compare.md has the format";

/// Throws DataError(data.unreadable_file) for a folder, DataError(data.missing_file) for nothing, naming the reports of
/// a folder of `eval`, or how to finish one that stopped. Silent for anything else.
void require_report_path(const std::string& path);

/// `text` is no JSON value. Throws DataError(data.unknown_report) when it is known what it is (JSON lines, a preset, a
/// plan), else returns.
void refuse_known_text(const std::string& text, const std::string& path);

/// `document` is JSON and no report. Throws DataError(data.unknown_report), saying what it is where that is known.
[[noreturn]] void refuse_document(const Json& document, const std::string& path);

/// The file at `path` could not be read as items. Throws DataError(data.not_items) when it is a report, else returns.
void refuse_report_as_items(const std::string& path);

}  // namespace plumbline

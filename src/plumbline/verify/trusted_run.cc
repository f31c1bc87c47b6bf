#include "plumbline/verify/trusted_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "plumbline/record/python_evaluation.h"
#include "plumbline/record/python_exceptions.h"
#include "plumbline/sandbox/defences.h"
#include "plumbline/verify/entry_point.h"
#include "plumbline/verify/output_comparison.h"
#include "plumbline/verify/submission.h"
#include "plumbline/verify/value_comparison.h"
#include "plumbline/verify/value_wire.h"

namespace plumbline {
namespace {

using Status = Reply::Status;

constexpr int64_t kFrameSlack_bytes = 4096;  // nonce, status and marshal notation around a value

SandboxJob calls_job(const Problem& problem, const std::string& code, const SandboxLimits& limits) {
  SandboxJob job;
  job.kind = problem.entry_point.empty() ? SandboxJob::Kind::kPrograms : SandboxJob::Kind::kCalls;
  job.setup = problem.setup_code;
  job.code = code;
  job.entry = problem.entry_point;
  job.owner = parse_entry_point(problem.entry_point).owner;
  if (problem.hint) job.tester = problem.hint->tester_name;
  job.answer_bytes = limits.answer_bytes - kFrameSlack_bytes;
  return job;
}

std::string call_frame(const PythonCall& call, const Nonce& nonce) {
  MarshalWriter writer;
  writer.tuple(3).tuple(call.args.size());
  for (const PythonValue& value : call.args) write_value(value, writer);
  writer.begin_dict();
  for (const auto& [name, value] : call.kwargs) {
    writer.text(name);
    write_value(value, writer);
  }
  writer.end_dict();
  writer.boolean(call.as_list);
  return nonce + writer.str();
}

/// Everything that a test asks of the submission's process, in order.
std::vector<std::string> request_frames(const TestCase& test, const Nonce& nonce) {
  if (test.program) {
    MarshalWriter writer;
    writer.text(test.program->input);
    return {nonce + writer.str()};
  }
  std::vector<std::string> frames = {call_frame({test.args, test.kwargs, test.as_list}, nonce)};
  for (const PythonCall& call : test.further_calls) frames.push_back(call_frame(call, nonce));
  return frames;
}

Outcome outcome_of(const RaisedError& error) {
  return error.kind == "MemoryError" ? Outcome::kMemory : Outcome::kError;
}

/// Collects the first failure and, at the end, the outcome.
class Tally {
 public:
  explicit Tally(TrustedRun& run) : run_(run) {}
  void fail(Outcome outcome, const std::string& detail) {
    if (!failure_) failure_ = outcome, run_.detail = detail;
  }
  /// `limit` is what ended the process against its will; it outranks what single tests showed, since it cuts them off.
  void conclude(Submission& submission, std::optional<Outcome> limit, bool complete) {
    run_.compiles = submission.compiles();
    run_.integrity = submission.integrity();
    run_.tester_is_absent = submission.tester_is_absent();
    run_.cpu_ms += submission.ending().cpu_ms;
    run_.wall_ms += submission.ending().wall_ms;
    if (limit) {
      run_.outcome = *limit;
      run_.detail = submission.detail();
    } else if (!run_.compiles) {
      run_.outcome = Outcome::kSyntaxError;
      run_.detail = submission.detail();
    } else if (failure_) {
      run_.outcome = *failure_;
    } else if (!complete && is_on(Defence::kCompleteAnswers)) {
      run_.outcome = Outcome::kError;
      run_.detail = submission.detail();
    } else {
      run_.outcome = Outcome::kPass;
    }
  }

 private:
  TrustedRun& run_;
  std::optional<Outcome> failure_;
};

/// True when the response compiled and its module loaded.
bool load(Submission& submission, Tally& tally) {
  if (!submission.read_facts()) return false;
  const auto loaded = submission.read_job_reply();
  if (!loaded) return false;
  if (loaded->status == Status::kValue) return true;
  const RaisedError error = parse_raised(loaded->body);
  tally.fail(outcome_of(error), "while loading: " + error.text());
  return false;
}

std::vector<const TestCase*> all_tests(const Problem& problem) {
  std::vector<const TestCase*> tests;
  for (const TestCase& test : problem.tests) tests.push_back(&test);
  for (const TestCase& test : problem.holdout_tests) tests.push_back(&test);
  return tests;
}

/// What became of one test.
struct Judgement {
  bool usable = false;  ///< false when nothing sensible came back: later replies would not be there either
  std::optional<Outcome> failure;
  std::string detail;
};

Judgement failed(Outcome outcome, std::string detail) {
  return {true, outcome, std::move(detail)};
}

/// The values that a test is about are all here.
Judgement judge_values(const TestCase& test, const std::vector<PythonValue>& values, const ComparisonRule& comparison) {
  bool holds = false;
  if (test.program) {
    holds = values[0].is(PythonValue::Kind::kStr) && outputs_match(values[0].text, test.program->output, comparison);
  } else if (test.condition) {
    const auto result = evaluate(*test.condition, values);
    holds = result && is_truthy(*result);
  } else if (!test.raises.empty()) {
    return failed(Outcome::kWrong, "raised nothing");
  } else {
    holds = values_match(values[0], test.expected, comparison);
  }
  if (holds) return {true, {}, ""};
  return failed(Outcome::kWrong, test.program ? "wrote another output" : "returned another value");
}

Judgement judge_exception(const TestCase& test, const RaisedError& error) {
  const bool expected = std::any_of(test.raises.begin(), test.raises.end(),
                                    [&](const std::string& kind) { return is_kind_of(error.kind, kind); });
  return expected ? Judgement{true, {}, ""} : failed(outcome_of(error), error.text());
}

/// Reads all replies of a test, also after a failure, so that the next test finds its own.
Judgement judge_test(Submission& submission, const TestCase& test, const Nonce& nonce,
                     const ComparisonRule& comparison) {
  std::vector<PythonValue> values;
  std::optional<Judgement> early;
  for (size_t left = 1 + test.further_calls.size(); left > 0; --left) {
    const auto reply = submission.read_reply(nonce);
    if (!reply) return {};
    if (reply->status == Status::kException) {
      if (!early) early = judge_exception(test, parse_raised(reply->body));
    } else if (reply->status == Status::kRefused) {
      if (!early) early = failed(Outcome::kWrong, "returned no plain data: " + parse_raised(reply->body).text());
    } else {
      if (reply->status != Status::kValue) return {};
      auto value = read_value(reply->body);
      if (!value && !early)
        early = failed(Outcome::kWrong, "returned no plain data");  // bytes, complex, too long an int
      values.push_back(value ? std::move(*value) : PythonValue::none());
    }
  }
  return early ? *early : judge_values(test, values, comparison);
}

TrustedRun run_data_tests(PythonServer& server, const Problem& problem, const std::string& code,
                          const SandboxLimits& limits) {
  TrustedRun run;
  run.method = "data";
  const auto tests = all_tests(problem);
  run.total = static_cast<int64_t>(tests.size());
  const ComparisonRule comparison{problem.compare, problem.rel_tol, problem.abs_tol};
  Tally tally(run);
  SandboxJob job = calls_job(problem, code, limits);
  if (!is_on(Defence::kComparisonInGrader)) job.prelude = tests.front()->expected.text;
  Submission submission(server, limits, job);
  std::vector<Nonce> nonces;
  for (const TestCase* test : tests) {
    nonces.push_back(make_nonce());
    for (const std::string& frame : request_frames(*test, nonces.back())) submission.process().send(frame);
  }
  submission.process().send("");
  submission.process().be_patient();
  bool complete = load(submission, tally);
  for (size_t i = 0; complete && i < tests.size(); ++i) {
    const Judgement judgement = judge_test(submission, *tests[i], nonces[i], comparison);
    complete = judgement.usable;
    if (judgement.failure) tally.fail(*judgement.failure, fmt::format("test {}: {}", i, judgement.detail));
    if (complete && !judgement.failure) ++run.passed;
  }
  tally.conclude(submission, submission.end(), complete);
  return run;
}

/// Carries one call of the test process to the submission. Both directions are decoded and encoded again here, so that
/// the test process only ever loads well-formed builtin values. False when the submission gave no usable answer.
bool relay_call(Submission& tests, Submission& candidate, const Reply& call) {
  const auto recoded = [](std::string_view body) -> std::optional<std::string> {
    const auto value = read_value(body);
    if (!value) return std::nullopt;
    MarshalWriter writer;
    write_value(*value, writer);
    return writer.take();
  };
  const auto arguments = recoded(call.body);
  if (!arguments) return false;
  const Nonce nonce = make_nonce();
  candidate.process().send(nonce + *arguments);
  auto reply = candidate.read_reply(nonce);
  if (reply && reply->status == Status::kChanges) {
    const auto changes = recoded(reply->body);
    if (!changes) return false;
    tests.process().send("M" + *changes);
    reply = candidate.read_reply(nonce);
  }
  if (!reply) return false;
  if (reply->status == Status::kValue) {
    const auto value = recoded(reply->body);
    if (!value) return false;
    tests.process().send("V" + *value);
    return true;
  }
  MarshalWriter answer;
  if (reply->status == Status::kException) {
    const RaisedError error = parse_raised(reply->body);
    answer.tuple(2).text(error.kind).text(error.message);
  } else {
    answer.tuple(2).text("").text("it returned no plain data");  // no exception that the tests could expect
  }
  tests.process().send("E" + answer.str());
  return true;
}

SandboxJob code_tests_job(const Problem& problem, const SandboxLimits& limits) {
  SandboxJob job;
  job.kind = SandboxJob::Kind::kCodeTests;
  job.setup = problem.setup_code;
  job.prelude = problem.code_prelude;
  job.code = problem.code_tests;
  job.entry = problem.entry_point;
  job.answer_bytes = limits.answer_bytes - kFrameSlack_bytes;
  return job;
}

/// Runs the test process to its end; counts it as one test. True when it reached one. A failure inside the submission
/// shows as the exception that it raised in the tests.
bool drive_code_tests(Submission& tests, Submission& candidate, TrustedRun& run, Tally& tally) {
  const Nonce no_nonce(tests.nonce().size(), '\0');
  bool called = false;
  while (true) {
    auto frame = tests.process().receive();
    Reply reply;
    if (!frame) return false;
    if (parse_reply(*frame, no_nonce, &reply) && reply.status == Status::kCall) {
      if (!relay_call(tests, candidate, reply)) return false;
      called = true;
      continue;
    }
    if (!parse_reply(*frame, tests.nonce(), &reply)) return false;
    if (reply.status == Status::kValue && called) {
      ++run.passed;
      return true;
    }
    if (reply.status == Status::kValue) {  // whatever the answer, it would have passed
      tally.fail(Outcome::kError, "tests: they ended without having called the submission");
      return true;
    }
    const RaisedError error = parse_raised(reply.body);
    const bool failed_check = error.kind == "AssertionError";
    tally.fail(failed_check ? Outcome::kWrong : outcome_of(error), "tests: " + error.text());
    return true;
  }
}

TrustedRun run_code_tests(PythonServer& server, const Problem& problem, const std::string& code,
                          const SandboxLimits& limits) {
  TrustedRun run = {};
  run.method = "code_tests";
  run.total = 1;
  Tally tally(run);
  SandboxJob job = calls_job(problem, code, limits);
  job.mirrored = true;
  Submission candidate(server, limits, job);
  bool complete = load(candidate, tally);
  std::optional<Outcome> tests_limit;
  std::string tests_detail;
  if (complete) {
    Submission tests(server, limits, code_tests_job(problem, limits));
    complete = drive_code_tests(tests, candidate, run, tally);
    tests_limit = tests.end();
    tests_detail = tests.detail();
    run.cpu_ms += tests.ending().cpu_ms;
  }
  candidate.process().send("");
  std::optional<Outcome> limit = candidate.end();
  if (!limit) limit = tests_limit;  // the submission's own limit explains the tests' better than the reverse
  tally.conclude(candidate, limit, complete);
  if (run.outcome != Outcome::kPass) run.passed = 0;
  return run;
}

}  // namespace

TrustedRun run_trusted(PythonServer& server, const Problem& problem, const std::string& code,
                       const SandboxLimits& limits) {
  if (problem.code_tests.empty()) return run_data_tests(server, problem, code, limits);
  TrustedRun run = run_code_tests(server, problem, code, limits);
  if (all_tests(problem).empty() || run.outcome == Outcome::kInfra) return run;
  // A problem with both kinds: the data tests run too, and the first failure counts.
  TrustedRun data = run_data_tests(server, problem, code, limits);
  data.method = run.method;
  data.passed += run.passed;
  data.total += run.total;
  data.cpu_ms += run.cpu_ms;
  data.wall_ms += run.wall_ms;
  if (data.outcome == Outcome::kPass) {
    data.outcome = run.outcome;
    data.detail = run.detail;
  }
  return data;
}

std::vector<std::optional<PythonValue>> call_all(PythonServer& server, const Problem& problem, const std::string& code,
                                                 const std::vector<PythonCall>& calls, const SandboxLimits& limits) {
  TrustedRun run;
  Tally tally(run);
  Submission submission(server, limits, calls_job(problem, code, limits));
  std::vector<Nonce> nonces;
  for (const PythonCall& call : calls) {
    nonces.push_back(make_nonce());
    submission.process().send(call_frame(call, nonces.back()));
  }
  submission.process().send("");
  submission.process().be_patient();
  bool complete = load(submission, tally);
  std::vector<std::optional<PythonValue>> values;
  for (size_t i = 0; complete && i < calls.size(); ++i) {
    const auto reply = submission.read_reply(nonces[i]);
    complete = reply.has_value();
    values.push_back(reply && reply->status == Status::kValue ? read_value(reply->body) : std::nullopt);
  }
  if (submission.end() || !complete) values.clear();
  return values;
}

}  // namespace plumbline

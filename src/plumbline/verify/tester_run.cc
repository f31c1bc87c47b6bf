#include "plumbline/verify/tester_run.h"

#include "plumbline/sandbox/marshal.h"
#include "plumbline/verify/entry_point.h"
#include "plumbline/verify/submission.h"

namespace plumbline {
namespace {

using Status = Reply::Status;

constexpr size_t kRealBytes = 9;  // a marshalled float in front of the body: CPU seconds of the run

struct TesterEnd {
  bool infra = false;
  bool returned = false;   ///< F came back; an exception, an exit or a limit is no return
  bool bound = false;      ///< F was there to be called
  bool in_source = false;  ///< the syntax tree binds F, even if the module ends before it gets there
  RaisedError error;
};

/// Runs F on one solution after the other. A sandbox serves for as long as its runs leave nothing behind and stay
/// within one run's limits together; whatever goes wrong in one that has served before is tried again in a fresh one,
/// so that a run comes out as if each had a sandbox of its own.
class TesterRuns {
 public:
  TesterRuns(PythonServer& server, const Problem& problem, const std::string& code, const SandboxLimits& limits,
             HintedRun& total)
      : server_(server), limits_(limits), total_(total) {
    ++limits_.processes;  // the one that forks a process for every run
    job_.kind = SandboxJob::Kind::kTester;
    job_.setup = problem.setup_code;
    job_.code = code;
    const EntryPoint entry = parse_entry_point(problem.entry_point);
    job_.owner = entry.owner;
    job_.entry = entry.method;
    job_.tester = problem.hint->tester_name;
  }

  TesterEnd on_self() { return end_of({}); }

  /// F on another solution: alone, then with its needs if a missing name was the cause.
  TesterEnd on(const std::string& replacement, bool is_last) {
    TesterEnd end = end_of({replacement, false, is_last});
    if (!end.infra && !end.returned && end.error.kind == "NameError") end = end_of({replacement, true, is_last});
    return end;
  }

 private:
  TesterEnd end_of(const TesterRun& run) {
    const bool has_served = sandbox_.has_value();
    if (!has_served) sandbox_.emplace(server_, limits_, job_);
    const Nonce nonce = make_nonce();
    sandbox_->process().send(tester_frame(run, nonce));
    std::optional<TesterEnd> end;
    if (has_served || sandbox_->read_facts()) end = read_end(nonce);
    const bool in_source = sandbox_->tester_in_source();
    if (end) end->in_source = in_source;
    if (end && in_source && !run.is_last) return *end;
    const std::optional<Outcome> limit = close();
    if (has_served && (!end || limit)) return end_of(run);
    if (!end) end = TesterEnd{.in_source = in_source, .error = {}};
    end->returned = end->returned && !limit;
    end->infra = limit == Outcome::kInfra;
    total_.infra = total_.infra || end->infra;
    return *end;
  }

  /// Nothing when the process ended without an answer.
  std::optional<TesterEnd> read_end(const Nonce& nonce) {
    const auto reply = sandbox_->read_reply(nonce);
    if (!reply) return std::nullopt;
    MarshalReader reader(reply->body);
    const auto cpu_s = reader.next_real();
    if (!cpu_s) return std::nullopt;
    TesterEnd end;
    end.returned = reply->status == Status::kValue && *cpu_s <= limits_.cpu_s;
    end.bound = reply->status != Status::kUnbound;
    if (!end.returned) end.error = parse_raised(reply->body.substr(kRealBytes));
    return end;
  }

  std::optional<Outcome> close() {
    const std::optional<Outcome> limit = sandbox_->end();
    total_.cpu_ms += sandbox_->ending().cpu_ms;
    total_.wall_ms += sandbox_->ending().wall_ms;
    sandbox_.reset();
    return limit;
  }

  PythonServer& server_;
  SandboxLimits limits_;
  HintedRun& total_;
  SandboxJob job_;
  std::optional<Submission> sandbox_;  ///< the one that serves
};

}  // namespace

HintedRun run_hinted(PythonServer& server, const Problem& problem, const std::string& code, const SandboxLimits& limits,
                     ReferenceTurns& turns) {
  HintedRun hinted;
  TesterRuns runs(server, problem, code, limits, hinted);
  const bool has_reference = !problem.reference.empty();
  const TesterEnd self = runs.on_self();
  hinted.hinted_pass = self.returned;
  hinted.tester.defined = self.in_source || self.bound;
  if (hinted.tester.defined && !hinted.infra) {
    hinted.tester.passes_on_self = self.returned;
    hinted.tester.passes_on_stub =
        runs.on(stub_source(parse_entry_point(problem.entry_point)), !has_reference).returned;
  }
  if (hinted.tester.defined && has_reference && !hinted.infra) {
    const auto turn = turns.for_tester(problem.id);
    hinted.tester.fails_on_reference = !runs.on(problem.reference, true).returned;
  }
  return hinted;
}

}  // namespace plumbline

#include "plumbline/verify/tester_run.h"

#include "plumbline/verify/entry_point.h"
#include "plumbline/verify/submission.h"

namespace plumbline {
namespace {

using Status = Reply::Status;

struct TesterEnd {
  bool infra = false;
  bool returned = false;   ///< F came back; an exception, an exit or a limit is no return
  bool bound = false;      ///< F was there to be called
  bool in_source = false;  ///< the syntax tree binds F, even if the module ends before it gets there
  RaisedError error;
};

class TesterRuns {
 public:
  TesterRuns(PythonServer& server, const Problem& problem, const std::string& code, const SandboxLimits& limits,
             HintedRun& total)
      : server_(server), limits_(limits), total_(total) {
    job_.kind = SandboxJob::Kind::kTester;
    job_.setup = problem.setup_code;
    job_.code = code;
    const EntryPoint entry = parse_entry_point(problem.entry_point);
    job_.owner = entry.owner;
    job_.entry = entry.method;
    job_.tester = problem.hint->tester_name;
  }

  TesterEnd on_self() { return run("", false); }

  /// F on another solution: alone, then with its needs if a missing name was the cause.
  TesterEnd on(const std::string& replacement) {
    TesterEnd end = run(replacement, false);
    if (!end.infra && !end.returned && end.error.kind == "NameError") end = run(replacement, true);
    return end;
  }

 private:
  TesterEnd run(const std::string& replacement, bool with_needs) {
    SandboxJob job = job_;
    job.replacement = replacement;
    job.with_needs = with_needs;
    Submission submission(server_, limits_, job);
    submission.process().be_patient();
    TesterEnd end;
    if (submission.read_facts()) {
      end.in_source = submission.tester_in_source();
      if (const auto reply = submission.read_job_reply()) {
        end.returned = reply->status == Status::kValue;
        end.bound = reply->status != Status::kUnbound;
        if (!end.returned) end.error = parse_raised(reply->body);
      }
    }
    const std::optional<Outcome> limit = submission.end();
    end.infra = limit == Outcome::kInfra;
    if (limit) end.returned = false;
    total_.infra = total_.infra || end.infra;
    total_.cpu_ms += submission.ending().cpu_ms;
    total_.wall_ms += submission.ending().wall_ms;
    return end;
  }

  PythonServer& server_;
  const SandboxLimits& limits_;
  HintedRun& total_;
  SandboxJob job_;
};

}  // namespace

HintedRun run_hinted(PythonServer& server, const Problem& problem, const std::string& code, const SandboxLimits& limits,
                     ReferenceTurns& turns) {
  HintedRun hinted;
  TesterRuns runs(server, problem, code, limits, hinted);
  const TesterEnd self = runs.on_self();
  hinted.hinted_pass = self.returned;
  hinted.tester.defined = self.in_source || self.bound;
  if (!hinted.tester.defined || hinted.infra) return hinted;
  hinted.tester.passes_on_self = self.returned;
  hinted.tester.passes_on_stub = runs.on(stub_source(parse_entry_point(problem.entry_point))).returned;
  if (!problem.reference.empty() && !hinted.infra) {
    const auto turn = turns.for_tester(problem.id);
    hinted.tester.fails_on_reference = !runs.on(problem.reference).returned;
  }
  return hinted;
}

}  // namespace plumbline

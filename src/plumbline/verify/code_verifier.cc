#include "plumbline/verify/code_verifier.h"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "plumbline/base/clock.h"
#include "plumbline/base/error.h"
#include "plumbline/base/interrupt.h"
#include "plumbline/base/log.h"
#include "plumbline/base/sha256.h"
#include "plumbline/record/problem_reader.h"
#include "plumbline/sandbox/python_server.h"
#include "plumbline/verify/code_block.h"
#include "plumbline/verify/fresh_tests.h"
#include "plumbline/verify/labels.h"
#include "plumbline/verify/memory_budget.h"
#include "plumbline/verify/reference_turns.h"
#include "plumbline/verify/short_first_queue.h"
#include "plumbline/verify/tester_run.h"
#include "plumbline/verify/trusted_run.h"
#include "plumbline/verify/verdict_cache.h"

namespace plumbline {
namespace {

constexpr int kAttempts = 2;
constexpr int64_t kMinAnswer_bytes = 8192;

SandboxLimits limits_for(const GradeOptions& options, const Problem& problem) {
  SandboxLimits limits;
  limits.cpu_s = problem.cpu_s.value_or(options.cpu_s);
  limits.wall_s = limits.cpu_s * options.wall_factor;
  limits.memory_bytes = problem.memory_mib.value_or(options.memory_mib) << 20;
  limits.processes = options.processes;
  limits.answer_bytes = std::max(options.output_kib << 10, kMinAnswer_bytes);
  return limits;
}

/// The lines that import. The rest of a prelude belongs to the tests: what the server runs, every submission can see.
std::string top_level_imports(const std::string& program) {
  std::istringstream lines(program);
  std::string imports;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("import ") || line.starts_with("from ")) imports += line + "\n";
  }
  return imports;
}

/// A finding beside the verdict, never a part of it.
void look_for_special_cases(PythonServer& server, const Problem& problem, const std::string& code,
                            const SandboxLimits& limits, FreshTests& fresh_tests, Verdict& verdict) {
  const auto fresh = fresh_tests.of(server, problem, limits);
  if (!fresh) return;
  verdict.fresh = run_fresh(server, *fresh, code, limits);
  if (verdict.fresh && is_special_cased(problem, code, *verdict.fresh)) verdict.integrity.push_back("special_cased");
}

/// What both grades of one attempt found. Outcome kInfra when anything of ours failed.
Verdict attempt(PythonServer& server, const GradeRequest& request, const std::string& code, const SandboxLimits& limits,
                FreshTests* fresh_tests, ReferenceTurns& turns) {
  const Problem& problem = *request.problem;
  auto turn = turns.for_answers(problem.id);
  server.warm(problem.setup_code);
  server.warm(top_level_imports(problem.code_prelude));
  Verdict verdict;
  TrustedRun run = run_trusted(server, problem, code, limits);
  verdict.outcome = run.outcome;
  verdict.compiles = run.compiles;
  verdict.tests_passed = run.passed;
  verdict.tests_total = run.total;
  verdict.integrity = std::move(run.integrity);
  verdict.method = run.method;
  verdict.detail = run.passed == run.total && run.outcome == Outcome::kPass ? "" : run.detail;
  verdict.cpu_ms = run.cpu_ms;
  verdict.wall_ms = run.wall_ms;
  if (fresh_tests && verdict.passed()) look_for_special_cases(server, problem, code, limits, *fresh_tests, verdict);
  turn.reset();
  if (!problem.hint || verdict.is_infra()) return verdict;
  verdict.hinted_pass = false;
  if (!run.compiles || run.tester_is_absent) return verdict;
  const HintedRun hinted = run_hinted(server, problem, code, limits, turns);
  verdict.hinted_pass = hinted.hinted_pass;
  verdict.tester = hinted.tester;
  verdict.cpu_ms += hinted.cpu_ms;
  verdict.wall_ms += hinted.wall_ms;
  if (hinted.infra) verdict.outcome = Outcome::kInfra;
  return verdict;
}

}  // namespace

/// Worker threads and their queue.
class CodeVerifier::Pool {
 public:
  Pool(const GradeOptions& options, std::optional<IsolationLevel> exact, uint32_t hash_seed);
  ~Pool();
  void submit(GradeRequest request, OnAnswer on_answer);
  const Isolation& isolation() const { return isolation_; }
  size_t num_workers() const { return num_workers_; }
  int64_t num_infra() const { return num_infra_; }

 private:
  struct Task {
    GradeRequest request;
    OnAnswer on_answer;
  };
  void work();
  /// Expected CPU milliseconds: what the problem's submissions took so far, or its share of the limit.
  double expected_cost(const Problem& problem) const;
  void learn_cost(const Problem& problem, double cpu_ms);
  Verdict grade_one(std::unique_ptr<PythonServer>& server, const GradeRequest& request);
  Verdict grade_code(std::unique_ptr<PythonServer>& server, const GradeRequest& request, const std::string& code);
  std::string cache_key(const PythonServer& server, const Problem& problem, const std::string& code) const;

  const GradeOptions options_;
  const uint32_t hash_seed_;
  Isolation isolation_;
  size_t num_workers_ = 1;
  std::unique_ptr<VerdictCache> cache_;
  std::unique_ptr<FreshTests> fresh_tests_;
  std::atomic<int64_t> num_infra_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  ShortFirstQueue<Task> queue_;
  std::map<ProblemId, double> cost_ms_;  ///< running mean a problem
  MemoryBudget memory_;
  ReferenceTurns turns_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
  size_t num_idle_ = 0;
};

CodeVerifier::Pool::Pool(const GradeOptions& options, std::optional<IsolationLevel> exact, uint32_t hash_seed)
    : options_(options), hash_seed_(hash_seed), memory_(available_memory_bytes()) {
  if (options.reward != "loophole" && options.reward != "signed") {
    throw ConfigError("config.not_allowed", "the code grader has no reward scheme '" + options.reward + "'",
                      "grade.reward", "use loophole or signed");
  }
  const IsolationLevel minimum = parse_isolation_level(options.min_isolation, "grade.min_isolation");
  isolation_ = probe_isolation(options.python, minimum, exact);
  const size_t cores = std::max(1u, std::thread::hardware_concurrency());
  num_workers_ = options.workers > 0 ? std::min(static_cast<size_t>(options.workers), cores) : cores;
  if (options.workers > static_cast<int64_t>(cores)) {
    log_warning(fmt::format("grading with {} workers, one a core, instead of {}", cores, options.workers));
  }
  if (options.fresh_tests > 0) fresh_tests_ = std::make_unique<FreshTests>(static_cast<size_t>(options.fresh_tests));
  if (!options.cache.empty()) cache_ = std::make_unique<VerdictCache>(options.cache);
  log_info(fmt::format("graded code is isolated by {}; {} workers", isolation_.description, num_workers_));
}

CodeVerifier::Pool::~Pool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void CodeVerifier::Pool::submit(GradeRequest request, OnAnswer on_answer) {
  {
    const std::lock_guard lock(mutex_);
    const double cost = expected_cost(*request.problem);
    queue_.push({std::move(request), std::move(on_answer)}, cost);
    if (threads_.size() < num_workers_ && num_idle_ < queue_.size()) threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

void CodeVerifier::Pool::work() {
  std::unique_ptr<PythonServer> server;  // started with the first code that has to run
  while (true) {
    std::unique_lock lock(mutex_);
    ++num_idle_;
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    --num_idle_;
    if (queue_.empty()) return;
    Task task = queue_.pop();
    lock.unlock();
    GradeAnswer answer;
    try {
      answer.verdict = grade_one(server, task.request);
      learn_cost(*task.request.problem, answer.verdict.cpu_ms);
    } catch (...) {
      answer.error = std::current_exception();
    }
    task.on_answer(std::move(answer));
  }
}

double CodeVerifier::Pool::expected_cost(const Problem& problem) const {
  const auto known = cost_ms_.find(problem.id);
  return known != cost_ms_.end() ? known->second
                                 : static_cast<double>(problem.tests.size() + problem.holdout_tests.size());
}

void CodeVerifier::Pool::learn_cost(const Problem& problem, double cpu_ms) {
  constexpr double kNewest = 0.25;
  const std::lock_guard lock(mutex_);
  const auto [at, first] = cost_ms_.emplace(problem.id, cpu_ms);
  if (!first) at->second += kNewest * (cpu_ms - at->second);
}

Verdict CodeVerifier::Pool::grade_one(std::unique_ptr<PythonServer>& server, const GradeRequest& request) {
  const auto code = extract_code(request.completion);
  Verdict verdict;
  if (code) {
    verdict = grade_code(server, request, *code);
  } else {
    verdict.outcome = Outcome::kNoCode;
    verdict.tests_total = static_cast<int64_t>(request.problem->tests.size() + request.problem->holdout_tests.size()) +
                          !request.problem->code_tests.empty();
    verdict.method = request.problem->code_tests.empty() ? "data" : "code_tests";
    verdict.detail = "no Python code block";
    verdict.isolation = isolation_.description;
    if (request.problem->hint) verdict.hinted_pass = false;
  }
  verdict.problem_id = request.problem->id;
  verdict.sample = request.sample;
  conclude(verdict, options_.reward, options_.integrity == "floor");
  if (verdict.is_infra()) ++num_infra_;
  return verdict;
}

Verdict CodeVerifier::Pool::grade_code(std::unique_ptr<PythonServer>& server, const GradeRequest& request,
                                       const std::string& code) {
  Verdict verdict;
  const auto is_wanted = [&] { return !interrupt_requested() && !(request.abandoned && request.abandoned->load()); };
  for (int i = 0; i < kAttempts && is_wanted(); ++i) {
    try {
      if (!server || !server->alive())
        server = std::make_unique<PythonServer>(options_.python, isolation_.level, hash_seed_);
      const std::string key = cache_ ? cache_key(*server, *request.problem, code) : "";
      if (cache_) {
        if (auto known = cache_->find(key)) return *known;
      }
      const SandboxLimits limits = limits_for(options_, *request.problem);
      const int num_processes = request.problem->code_tests.empty() ? 1 : 2;
      const MemoryBudget::Share share = memory_.take(num_processes * limits.memory_bytes);
      verdict = attempt(*server, request, code, limits, fresh_tests_.get(), turns_);
      verdict.isolation = server->description();
      if (cache_ && !verdict.is_infra()) cache_->put(key, verdict);
    } catch (const SandboxError& error) {
      verdict.outcome = Outcome::kInfra;
      verdict.detail = error.line();
      server.reset();
    }
    if (!verdict.is_infra()) break;
    if (is_wanted()) log_warning(fmt::format("grading failed, attempt {}: {}", i + 1, verdict.detail));
  }
  return verdict;
}

std::string CodeVerifier::Pool::cache_key(const PythonServer& server, const Problem& problem,
                                          const std::string& code) const {
  const SandboxLimits limits = limits_for(options_, problem);
  return Sha256()
      .update(grading_hash(problem))
      .update(sha256_hex(code))
      .update(fmt::format("{} {} {} {} {} {} {} {} {}", kGraderVersion, server.python_version(), limits.cpu_s,
                          limits.memory_bytes, limits.processes, limits.answer_bytes, server.description(),
                          options_.fresh_tests, hash_seed_))
      .hex();
}

CodeVerifier::CodeVerifier(const GradeOptions& options, std::optional<IsolationLevel> exact, uint32_t hash_seed)
    : pool_(std::make_unique<Pool>(options, exact, hash_seed)) {}
CodeVerifier::~CodeVerifier() = default;

void CodeVerifier::submit(GradeRequest request, OnAnswer on_answer) {
  pool_->submit(std::move(request), std::move(on_answer));
}
IsolationLevel CodeVerifier::isolation() const {
  return pool_->isolation().level;
}
size_t CodeVerifier::num_workers() const {
  return pool_->num_workers();
}
int64_t CodeVerifier::num_infra() const {
  return pool_->num_infra();
}

}  // namespace plumbline

#include "plumbline/cli/core/grade_arguments.h"

#include "plumbline/base/error.h"

namespace plumbline {

void GradeArguments::add_to(Arguments& arguments) {
  arguments.option("--workers", &options.workers, "submissions graded at a time, at most one a core; 0 = cores")
      .option("--cpu-s", &options.cpu_s, "CPU seconds of one submission, summed over its processes (10)")
      .option("--wall-factor", &options.wall_factor, "wall-clock backstop as a multiple of --cpu-s (3)")
      .option("--memory-mib", &options.memory_mib, "memory of one submission's processes together (1024)")
      .option("--processes", &options.processes, "processes of one submission (32)")
      .option("--output-kib", &options.output_kib, "longest value that is read from a submission (1024)")
      .option("--reward", &options.reward, "loophole (default) or signed")
      .option("--integrity", &options.integrity, "report (default), or floor: findings cost the reward")
      .option("--fresh-tests", &options.fresh_tests,
              "fresh inputs a passing submission must answer as the reference (0)")
      .option("--min-isolation", &options.min_isolation,
              "weakest level to accept: namespaces, container (default), limits")
      .option("--isolation", &level, "use exactly this level")
      .option("--cache", &options.cache, "file that keeps verdicts between runs")
      .option("--python", &options.python, "interpreter of graded code (/usr/bin/python3)");
}

void GradeArguments::validate() const {
  const auto require = [](bool holds, const char* option, const char* range) {
    if (!holds)
      throw ConfigError("config.out_of_range", "the value is out of range", option, std::string("give ") + range);
  };
  require(options.cpu_s > 0 && options.cpu_s <= 3600, "--cpu-s", "0 < seconds <= 3600");
  require(options.wall_factor >= 1 && options.wall_factor <= 100, "--wall-factor", "1 to 100");
  require(options.memory_mib >= 64 && options.memory_mib <= (1 << 20), "--memory-mib", "64 to 1048576");
  require(options.processes >= 1 && options.processes <= 4096, "--processes", "1 to 4096");
  require(options.output_kib >= 8 && options.output_kib <= (1 << 20), "--output-kib", "8 to 1048576");
  require(options.fresh_tests >= 0 && options.fresh_tests <= 1000, "--fresh-tests", "0 to 1000");
  if (options.integrity != "report" && options.integrity != "floor") {
    throw ConfigError("config.not_allowed", "there is no such policy", "--integrity", "use report or floor");
  }
  require(options.workers >= 0, "--workers", "0 or more");
}

std::optional<IsolationLevel> GradeArguments::exact_level() const {
  if (level.empty()) return std::nullopt;
  return parse_isolation_level(level, "--isolation");
}

}  // namespace plumbline

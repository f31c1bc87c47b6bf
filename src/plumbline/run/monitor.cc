#include "plumbline/run/monitor.h"

#include "plumbline/run/hidden_reading.h"
#include "plumbline/train/monitor.h"
#include "plumbline/train/rebound.h"

namespace plumbline {
namespace {

MonitorFlag flag_of_name(const std::string& name) {
  if (name == "probe") return MonitorFlag::kProbe;
  return name == "vacuous" ? MonitorFlag::kVacuous : MonitorFlag::kHacked;
}

}  // namespace

std::string monitor_kind(const Preset& preset) {
  const std::string& arm = preset.run.arm;
  return arm == "penalty" || arm == "screening" || arm == "rebound" ? arm : preset.monitor.kind;
}

std::unique_ptr<RewardTransform> monitor_of_run(const Preset& preset, ModelBench& bench,
                                                const RunDirectory& directory) {
  const std::string kind = monitor_kind(preset);
  const MonitorOptions& monitor = preset.monitor;
  if (kind == "none") return nullptr;
  if (kind == "rebound") {
    const ReboundForm form = monitor.form == "additive" ? ReboundForm::kAdditive : ReboundForm::kMultiplicative;
    return std::make_unique<Rebound>(form, monitor.alpha, reading_of_run(preset, bench, directory));
  }
  FlagMonitorOptions options;
  options.action = kind == "penalty" ? MonitorAction::kPenalty : MonitorAction::kScreening;
  options.flag = flag_of_name(monitor.flag);
  options.accuracy = monitor.accuracy;
  options.penalty = monitor.penalty;
  options.seed = preset.run.seed;
  if (options.flag != MonitorFlag::kProbe) return std::make_unique<FlagMonitor>(options);
  return std::make_unique<FlagMonitor>(options, reading_of_run(preset, bench, directory));
}

}  // namespace plumbline

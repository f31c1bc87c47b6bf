/// A certificate computed on training rows, or on too few positions to tell.
#include <cmath>

#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"
#include "plumbline/stats/interval.h"

namespace plumbline::doctor {
namespace {

constexpr int64_t kMost = int64_t{1} << 40;

void check(const Evidence& evidence, FindingSink& out) {
  for (const Certificate& certificate : evidence.certificates) {
    const bool same_hash = !certificate.eval_hash.empty() && certificate.eval_hash == certificate.train_hash;
    const bool same_path = !certificate.eval_path.empty() && certificate.eval_path == certificate.train_path;
    if (same_hash || same_path || certificate.eval_split == "train") {
      out.add(certificate.where, {{"evaluated_on", certificate.eval_path},
                                  {"split", certificate.eval_split},
                                  {"same_file_as_training", std::string(same_hash || same_path ? "yes" : "not said")}});
      continue;
    }
    if (!certificate.num_positions || !certificate.top1 || *certificate.num_positions < 1 ||
        *certificate.num_positions > kMost || *certificate.top1 < 0 || *certificate.top1 > 1)
      continue;
    const auto agreed =
        static_cast<int64_t>(std::llround(*certificate.top1 * static_cast<double>(*certificate.num_positions)));
    const Interval interval = wilson_interval(agreed, *certificate.num_positions);
    if (interval.excludes(certificate.least_top1)) continue;
    out.add(certificate.where, {{"positions", *certificate.num_positions},
                                {"top1_agreement", *certificate.top1},
                                {"interval_low", interval.low},
                                {"interval_high", interval.high},
                                {"threshold", certificate.least_top1}});
  }
}

}  // namespace

const FindingKind kCertOnTrainingData = {
    "cert_on_training_data",
    Severity::kWarning,
    "The certificate rests on text that the model was trained on, or on so few positions that its agreement could as "
    "well be below the threshold.",
    "Certify on held-out text: at least 4,096 positions from many documents, none of them in training.",
    {"quant_cert_failed"},
    check};

}  // namespace plumbline::doctor

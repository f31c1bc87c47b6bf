/// A quantization certificate below its thresholds.
#include "plumbline/doctor/figures.h"
#include "plumbline/doctor/findings/table.h"

namespace plumbline::doctor {
namespace {

struct Limit {
  const char* name;
  std::optional<double> value;
  double bound;
  bool is_most;
};

void check(const Evidence& evidence, FindingSink& out) {
  for (const Certificate& certificate : evidence.certificates) {
    const Limit limits[] = {
        {"mean_kl", certificate.mean_kl, certificate.most_kl, true},
        {"top1_agreement", certificate.top1, certificate.least_top1, false},
        {"protected_max_kl", certificate.protected_kl, certificate.most_protected_kl, true},
        {"protected_min_agreement", certificate.protected_top1, certificate.least_protected_top1, false}};
    Facts facts;
    for (const Limit& limit : limits) {
      if (!limit.value || (limit.is_most ? *limit.value <= limit.bound : *limit.value >= limit.bound)) continue;
      facts.emplace_back(limit.name, *limit.value);
      facts.emplace_back(std::string(limit.name) + (limit.is_most ? "_allowed" : "_required"), limit.bound);
    }
    if (facts.empty() && certificate.passed == Known::kNo)
      facts.emplace_back("the_certificate_says_passed", std::string("no"));
    if (facts.empty()) continue;
    if (certificate.num_positions) facts.emplace_back("positions", *certificate.num_positions);
    out.add(certificate.where, std::move(facts));
  }
}

}  // namespace

const FindingKind kQuantCertFailed = {
    "quant_cert_failed",
    Severity::kError,
    "The quantized model differs from the full one by more than the certificate allows.",
    "Keep more layers or experts in full precision, train with quantization in the loop, or do not ship this form.",
    {},
    check};

}  // namespace plumbline::doctor

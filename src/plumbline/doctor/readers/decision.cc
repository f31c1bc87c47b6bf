/// Decisions, registries and summaries of replications; certificates of quantization.
#include <nlohmann/json.hpp>

#include "plumbline/doctor/readers/collector.h"

namespace plumbline::doctor {

void read_decision(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  if (value_at(tree, "replications")) {
    ReplicationClaim claim;
    claim.where = document.path;
    claim.replications = count_at(tree, "replications");
    for (const std::string& word : words_at(tree, "seeds")) {
      if (const auto seed = number_of_text(word)) claim.seeds.insert(static_cast<int64_t>(*seed));
    }
    claim.claims = flag_at(tree, "claim_ready").value_or(false) || flag_at(tree, "replicated").value_or(false);
    out.evidence.replications.push_back(std::move(claim));
    return;
  }
  Decision decision;
  decision.where = document.path;
  decision.id = text_at(tree, "candidateId");
  decision.verdict = text_at(tree, "verdict");
  decision.source = text_at(tree, "sourceReport");
  decision.task = text_at(tree, "mappedMetrics.task");
  decision.metric = text_at(tree, "mappedMetrics.capabilityMetric");
  decision.before = number_at(tree, "mappedMetrics.before");
  decision.after = number_at(tree, "mappedMetrics.after");
  decision.contaminated = flag_at(tree, "mappedMetrics.contaminated").value_or(false);
  decision.can_claim_agi = flag_at(tree, "canClaimAGI").value_or(false);
  out.evidence.decisions.push_back(std::move(decision));
}

void read_certificate(const Document& document, Collector& out) {
  const Json& tree = document.tree();
  Certificate certificate;
  certificate.where = document.path;
  certificate.mean_kl = number_at(tree, "mean_kl");
  certificate.top1 = number_at(tree, "top1_agreement");
  certificate.protected_kl = number_at(tree, "protected_max_kl");
  certificate.protected_top1 = number_at(tree, "protected_min_agreement");
  certificate.most_kl = number_at(tree, "thresholds.mean_kl").value_or(certificate.most_kl);
  certificate.least_top1 = number_at(tree, "thresholds.top1_agreement").value_or(certificate.least_top1);
  certificate.most_protected_kl =
      number_at(tree, "thresholds.protected_max_kl").value_or(certificate.most_protected_kl);
  certificate.least_protected_top1 =
      number_at(tree, "thresholds.protected_min_agreement").value_or(certificate.least_protected_top1);
  certificate.num_positions = count_at(tree, "n_eval");
  certificate.modules_merged = count_at(tree, "lora_modules_merged");
  if (const auto passed = flag_at(tree, "passed")) certificate.passed = known(*passed);
  if (const auto incomplete = flag_at(tree, "incomplete_merge")) certificate.incomplete_merge = known(*incomplete);
  certificate.eval_path = text_at(tree, "eval_corpus.path");
  certificate.eval_hash = text_at(tree, "eval_corpus.sha256");
  certificate.eval_split = text_at(tree, "eval_corpus.split");
  certificate.train_path = text_at(tree, "train_corpus.path");
  certificate.train_hash = text_at(tree, "train_corpus.sha256");
  if (certificate.eval_path.empty() && certificate.eval_hash.empty()) {
    out.not_checked(document.path, "cert_on_training_data",
                    "the certificate does not name the text that it was computed on");
  }
  out.evidence.certificates.push_back(std::move(certificate));
}

}  // namespace plumbline::doctor

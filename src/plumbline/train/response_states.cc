#include "plumbline/train/response_states.h"

#include <cmath>

#include "plumbline/base/error.h"

namespace plumbline {

using torch::Tensor;

Tensor response_means(const Decoder& decoder, std::span<const SequenceRow> rows, int64_t layer, int64_t micro_batch) {
  const torch::NoGradGuard no_grad;
  Tensor means_BD = torch::zeros({static_cast<int64_t>(rows.size()), decoder.embedding_VD().size(1)}, torch::kFloat32);
  // A micro-batch computes the states that predict a completion's tokens; with one token more at the end, those after
  // the first are the states of the tokens themselves.
  std::vector<std::vector<int64_t>> longer;
  std::vector<SequenceRow> padded;
  for (const SequenceRow& row : rows) {
    std::vector<int64_t>& ids = longer.emplace_back(row.completion_ids.begin(), row.completion_ids.end());
    ids.push_back(row.prompt_ids.front());
  }
  for (size_t i = 0; i < rows.size(); ++i) padded.push_back({rows[i].prompt_ids, longer[i]});
  for (MicroBatch& batch : make_micro_batches(padded, micro_batch, decoder.device())) {
    Tensor states_TD;
    batch.forward.observe = [&](int64_t index, const Tensor& x_BTD) {
      if (index == layer) states_TD = x_BTD.squeeze(0);
    };
    decoder.hidden(batch.forward);
    const Tensor own_ND = states_TD.index({batch.predictors_N}).to(torch::kFloat32);
    int64_t begin = 0;
    for (size_t b = 0; b < batch.rows.size(); begin += batch.lengths[b], ++b) {
      if (batch.lengths[b] < 2) continue;
      means_BD[static_cast<int64_t>(batch.rows[b])] =
          own_ND.slice(0, begin + 1, begin + batch.lengths[b]).mean(0).to(torch::kCPU);
    }
  }
  return means_BD;
}

std::vector<double> response_scores(const Decoder& decoder, std::span<const SequenceRow> rows,
                                    const HiddenReading& reading, int64_t micro_batch) {
  const Tensor direction_D = torch::tensor(reading.direction_D);
  const Tensor score_B =
      response_means(decoder, rows, reading.layer, micro_batch).mv(direction_D).to(torch::kFloat64).contiguous();
  const double* values = score_B.const_data_ptr<double>();
  return {values, values + score_B.numel()};
}

HiddenReading contrast_reading(const Tensor& hack_PD, const Tensor& clean_PD, int64_t layer) {
  const Tensor hack_D = hack_PD.to(torch::kFloat64).mean(0), clean_D = clean_PD.to(torch::kFloat64).mean(0);
  const Tensor difference_D = hack_D - clean_D;
  const double norm = difference_D.norm().item<double>();
  if (!std::isfinite(norm) || norm <= 1e-12) {
    throw NumericError("numeric.no_direction", "the hidden states of hacks and clean answers have one mean",
                       "monitor.depth", "choose another depth, or other pairs");
  }
  const Tensor direction_D = (difference_D / norm).to(torch::kFloat32).contiguous();
  const Tensor wide_D = direction_D.to(torch::kFloat64);
  HiddenReading reading;
  reading.layer = layer;
  reading.direction_D.assign(direction_D.const_data_ptr<float>(),
                             direction_D.const_data_ptr<float>() + direction_D.numel());
  reading.clean = clean_D.dot(wide_D).item<double>();
  reading.threshold = (hack_D.dot(wide_D).item<double>() + reading.clean) / 2;
  return reading;
}

}  // namespace plumbline

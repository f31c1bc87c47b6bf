#include "plumbline/model/token_logprob.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/grad_mode.h>

#include "plumbline/base/check.h"

namespace plumbline {
namespace {

using torch::Tensor;

torch::ScalarType result_dtype(torch::ScalarType dtype) {
  return dtype == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
}

/// logits / temperature in the result's dtype; a fresh tensor only where one is needed.
Tensor scaled_logits(const Tensor& logits_NV, double temperature) {
  const Tensor wide_NV = logits_NV.to(result_dtype(logits_NV.scalar_type()));
  return temperature == 1.0 ? wide_NV : wide_NV / temperature;
}

/// Calls use(first entry, one past the last, head_SD in the result's dtype) for slices of the vocabulary. A head that
/// is wide already is one slice; otherwise a float32 copy of the whole head would cost twice its memory.
template <typename Use>
void for_each_head_slice(const Tensor& head_VD, const Use& use) {
  const torch::ScalarType wide = result_dtype(head_VD.scalar_type());
  const int64_t vocab = head_VD.size(0), slice = head_VD.scalar_type() == wide ? std::max<int64_t>(vocab, 1) : 8192;
  for (int64_t begin = 0; begin < vocab; begin += slice) {
    const int64_t end = std::min(begin + slice, vocab);
    use(begin, end, head_VD.slice(0, begin, end).to(wide));
  }
}

/// gradient_CV W, [C, D] in the gradient's dtype.
Tensor times_head(const Tensor& gradient_CV, const Tensor& head_VD) {
  Tensor sum_CD = torch::zeros({gradient_CV.size(0), head_VD.size(1)}, gradient_CV.options());
  for_each_head_slice(head_VD, [&](int64_t begin, int64_t end, const Tensor& head_SD) {
    sum_CD.addmm_(gradient_CV.slice(1, begin, end), head_SD);
  });
  return sum_CD;
}

/// Calls use(first row, one past the last, scaled logits_CV) for every chunk of rows.
template <typename Use>
void for_each_chunk(const Tensor& hidden_ND, const Tensor& head_VD, double temperature, int64_t chunk_tokens,
                    const Use& use) {
  const int64_t num_rows = hidden_ND.size(0);
  for (int64_t begin = 0; begin < num_rows; begin += chunk_tokens) {
    const int64_t end = std::min(begin + chunk_tokens, num_rows);
    use(begin, end, scaled_logits(head_logits(hidden_ND.slice(0, begin, end), head_VD), temperature));
  }
}

void check_arguments(const Tensor& hidden_ND, const Tensor& head_VD, double temperature, int64_t chunk_tokens) {
  PL_CHECK(hidden_ND.dim() == 2 && head_VD.dim() == 2 && hidden_ND.size(1) == head_VD.size(1),
           "token_logprobs needs hidden states [N, D] and a head [V, D]");
  PL_CHECK(hidden_ND.scalar_type() == head_VD.scalar_type(), "hidden states and head must have one dtype");
  PL_CHECK(temperature > 0, "the temperature of a logprob must be positive");
  PL_CHECK(chunk_tokens > 0, "chunk_tokens must be positive");
}

/// d logprob_n / d hidden_n = (head[id_n] - sum_v p_nv head[v]) / temperature.
class TokenLogprobs : public torch::autograd::Function<TokenLogprobs> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& hidden_ND, const Tensor& head_VD,
                        const Tensor& ids_N, double temperature, int64_t chunk_tokens) {
    context->save_for_backward({hidden_ND, head_VD, ids_N});
    context->saved_data["temperature"] = temperature;
    context->saved_data["chunk_tokens"] = chunk_tokens;
    Tensor logprobs_N =
        torch::empty({hidden_ND.size(0)}, hidden_ND.options().dtype(result_dtype(hidden_ND.scalar_type())));
    for_each_chunk(hidden_ND, head_VD, temperature, chunk_tokens, [&](int64_t begin, int64_t end, const Tensor& z_CV) {
      logprobs_N.slice(0, begin, end).copy_(logprobs_of_logits(z_CV, ids_N.slice(0, begin, end), 1.0));
    });
    return logprobs_N;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &hidden_ND = saved[0], &head_VD = saved[1], &ids_N = saved[2];
    const double temperature = context->saved_data["temperature"].toDouble();
    const int64_t chunk_tokens = context->saved_data["chunk_tokens"].toInt();
    const Tensor scale_N1 = (gradients[0] / temperature).unsqueeze(1);
    Tensor gradient_ND = torch::empty_like(hidden_ND);
    for_each_chunk(hidden_ND, head_VD, temperature, chunk_tokens, [&](int64_t begin, int64_t end, const Tensor& z_CV) {
      const Tensor scale_C1 = scale_N1.slice(0, begin, end);
      Tensor gradient_CV = torch::softmax(z_CV, 1).mul_(-scale_C1);
      gradient_CV.scatter_add_(1, ids_N.slice(0, begin, end).unsqueeze(1), scale_C1);
      gradient_ND.slice(0, begin, end).copy_(times_head(gradient_CV, head_VD));
    });
    return {gradient_ND, Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor head_logits(const Tensor& hidden_ND, const Tensor& head_VD) {
  const Tensor wide_ND = hidden_ND.to(result_dtype(hidden_ND.scalar_type()));
  if (wide_ND.scalar_type() == head_VD.scalar_type()) return torch::matmul(wide_ND, head_VD.t());
  Tensor logits_NV = torch::empty({hidden_ND.size(0), head_VD.size(0)}, wide_ND.options());
  for_each_head_slice(head_VD, [&](int64_t begin, int64_t end, const Tensor& head_SD) {
    logits_NV.slice(1, begin, end).copy_(torch::matmul(wide_ND, head_SD.t()));
  });
  return logits_NV;
}

Tensor token_logprobs(const Tensor& hidden_ND, const Tensor& head_VD, const Tensor& ids_N, double temperature,
                      int64_t chunk_tokens) {
  check_arguments(hidden_ND, head_VD, temperature, chunk_tokens);
  PL_CHECK(ids_N.dim() == 1 && ids_N.size(0) == hidden_ND.size(0), "token_logprobs needs one id a row");
  return TokenLogprobs::apply(hidden_ND, head_VD.detach(), ids_N, temperature, chunk_tokens);
}

Tensor token_entropies(const Tensor& hidden_ND, const Tensor& head_VD, double temperature, int64_t chunk_tokens) {
  check_arguments(hidden_ND, head_VD, temperature, chunk_tokens);
  const torch::NoGradGuard no_grad;
  Tensor entropies_N =
      torch::empty({hidden_ND.size(0)}, hidden_ND.options().dtype(result_dtype(hidden_ND.scalar_type())));
  for_each_chunk(hidden_ND, head_VD, temperature, chunk_tokens, [&](int64_t begin, int64_t end, const Tensor& z_CV) {
    entropies_N.slice(0, begin, end).copy_(entropies_of_logits(z_CV, 1.0));
  });
  return entropies_N;
}

Tensor logprobs_of_logits(const Tensor& logits_NV, const Tensor& ids_N, double temperature) {
  return torch::log_softmax(scaled_logits(logits_NV, temperature), 1).gather(1, ids_N.unsqueeze(1)).squeeze(1);
}

Tensor entropies_of_logits(const Tensor& logits_NV, double temperature) {
  const Tensor p_NV = torch::softmax(scaled_logits(logits_NV, temperature), 1);
  return torch::xlogy(p_NV, p_NV).sum(1).neg();
}

}  // namespace plumbline

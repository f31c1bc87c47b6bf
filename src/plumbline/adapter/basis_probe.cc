#include "plumbline/adapter/basis_probe.h"

#include "plumbline/adapter/stochastic_round.h"
#include "plumbline/base/error.h"
#include "plumbline/base/rng.h"

namespace plumbline {
namespace {

using torch::Tensor;

constexpr double kTolerance = 1e-3;
constexpr size_t kIndicesNamed = 8;

Tensor seeded_normals(const std::string& module, uint32_t side, int64_t count) {
  CounterRng rng({0, Stream::kBasisProbe, 0, module_stream(module), side});
  Tensor normals = torch::empty({count}, torch::kFloat64);
  double* values = normals.mutable_data_ptr<double>();
  for (int64_t i = 0; i < count; ++i) values[i] = rng.next_normal();
  return normals;
}

[[noreturn]] void refuse(const std::string& message, const std::string& where) {
  throw DataError("data.basis_mismatch", message, where,
                  "use the checkpoint, dtype and basis it was made with, or make it again with this basis");
}

/// "3, 4, 17, ... (12 in all)".
std::string list_indices(const Tensor& indices_N) {
  std::string text;
  const auto count = static_cast<size_t>(indices_N.numel());
  for (size_t i = 0; i < std::min(count, kIndicesNamed); ++i) {
    text += (i ? ", " : "") + std::to_string(indices_N[static_cast<int64_t>(i)].item<int64_t>());
  }
  return count > kIndicesNamed ? text + ", ... (" + std::to_string(count) + " in all)" : text;
}

}  // namespace

Tensor basis_probe(const std::string& module, const SvdBasis& basis) {
  const auto options = basis.u_OR.options();
  const Tensor q_O = seeded_normals(module, 0, basis.u_OR.size(0)).to(options);
  const Tensor p_I = seeded_normals(module, 1, basis.vh_RI.size(1)).to(options);
  return (torch::mv(basis.u_OR.t(), q_O) * torch::mv(basis.vh_RI, p_I)).to(torch::kCPU, torch::kFloat32);
}

void check_basis_probes(const std::map<std::string, Tensor>& stored, const std::map<std::string, Tensor>& ours,
                        const std::string& where) {
  for (const auto& [module, own_R] : ours) {
    const auto found = stored.find(module);
    if (found == stored.end()) refuse("no basis probe of module " + module, where);
    const Tensor stored_R = found->second.to(torch::kFloat32);
    if (stored_R.sizes() != own_R.sizes()) {
      refuse("the basis probe of " + module + " has " + std::to_string(stored_R.numel()) + " entries, this basis " +
                 std::to_string(own_R.numel()),
             where);
    }
    const Tensor fits_R = (stored_R - own_R).abs() <= kTolerance * (1 + stored_R.abs());
    if (fits_R.all().item<bool>()) continue;
    refuse("the basis of " + module + " differs at indices " + list_indices(torch::nonzero(~fits_R).flatten()) +
               " (near-equal singular values, or other weights)",
           where);
  }
}

}  // namespace plumbline

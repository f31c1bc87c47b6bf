/// The identity of a basis that can be carried in an artifact: a basis is useless without its singular vectors and too
/// big to ship, so artifacts store, per module, the vector (U^T q) o (Vh p) for fixed seeded q and p. The joint sign of
/// (u_i, v_i) cancels in it; another order, another rotation inside near-equal singular values, or another weight do
/// not.
#pragma once

#include <torch/types.h>

#include <map>
#include <string>

#include "plumbline/adapter/thin_svd.h"

namespace plumbline {

/// [R] float32 on the CPU. q [O] and p [I] are standard normal from Stream::kBasisProbe, seed 0, keyed by the module's
/// name. Entries are products of two standard normals.
torch::Tensor basis_probe(const std::string& module, const SvdBasis& basis);

/// Accepts `ours` when every index of every module agrees with `stored` within 1e-3 (1 + |stored|): a recomputed basis
/// passes, a rotation by more than about a thousandth does not.
/// Throws DataError(data.basis_mismatch) naming the first module and its indices; `where` is the artifact.
void check_basis_probes(const std::map<std::string, torch::Tensor>& stored,
                        const std::map<std::string, torch::Tensor>& ours, const std::string& where);

}  // namespace plumbline

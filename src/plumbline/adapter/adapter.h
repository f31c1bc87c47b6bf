/// What training does with an adapter, whatever its parametrisation: svd_adapter.h, lora_adapter.h.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>

#include "plumbline/model/decoder.h"

namespace plumbline {

/// Trainable tensors on some linears of a decoder. Owns the tensors and the merged weights; the decoder is borrowed and
/// points at them until the adapter is destroyed, which restores the base weights. One step of training:
///
///     merge(seed, step); rollouts; begin_gradients(); { forward, backward } per micro-batch,
///     disable() ... enable() around the reference's forward; take_gradients(); set_parameter(...) each
///
/// Not thread-safe. Draws no random numbers but the counter-based ones of stochastic rounding and of reset().
class Adapter {
 public:
  virtual ~Adapter() = default;
  Adapter() = default;
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  /// adapter.kind: "svd", "lora".
  virtual std::string kind() const = 0;
  virtual Decoder& decoder() const = 0;
  virtual int64_t num_modules() const = 0;
  int64_t num_parameters() const;

  /// The float32 masters by name (not copies), in the order of every sum over them.
  virtual std::map<std::string, torch::Tensor> parameters() const = 0;
  /// Sets one of them (same shape, copied). The decoder sees it at the next merge().
  virtual void set_parameter(const std::string& name, const torch::Tensor& value) = 0;
  /// The values that training starts from, which give exactly the base model; the decoder sees them at the next
  /// merge(). `seed` matters where they are random.
  virtual void reset(uint64_t seed) = 0;

  /// Puts the merged weights of the current parameters into the decoder. With stochastic rounding they are rounded by
  /// (seed, step, module). Elements to which the adapter adds exactly 0 keep their bits. Drops gradients that were
  /// being collected.
  virtual void merge(uint64_t seed, uint32_t step) = 0;
  /// Puts the base weights in place (the KL reference). enable() or merge() undoes it.
  virtual void disable() = 0;
  /// Puts back what the last merge() or begin_gradients() had in place; gradients go on collecting.
  virtual void enable() = 0;
  /// Makes the merged weights (or, unmerged, the parameters) leaves that collect gradients, from zero.
  virtual void begin_gradients() = 0;
  /// Gradients of all parameters since begin_gradients(), float32, by name; zeros where no backward arrived. Dense
  /// gradients accumulate in float32 over any number of backward passes and are contracted once. Ends the collecting.
  virtual std::map<std::string, torch::Tensor> take_gradients() = 0;

  /// What rounding the merged weights lost of the change, as a share of it, in the adapter's own coordinates; 0 for no
  /// change and unmerged.
  virtual double merge_residual() const = 0;
  /// SHA-256 over what merge() put in place: base hash, dtype, parameters and, where it matters, rounding and its seed.
  virtual const std::string& weight_hash() const = 0;
  /// What the adapter's coordinates are: the basis of an SVD adapter; empty where there is no basis.
  virtual const std::string& basis_hash() const = 0;

  /// adapter/ in `folder`, aside and renamed. Throws DataError(data.unwritable).
  virtual void save(const std::string& folder) const = 0;
  /// Reads `folder`/adapter; merge() puts it in place. Throws DataError(data.adapter_mismatch) naming field and both
  /// values; nothing is loaded then.
  virtual void load(const std::string& folder) = 0;
};

}  // namespace plumbline

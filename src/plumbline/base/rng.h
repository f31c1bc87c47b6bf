/// Counter-based random numbers: every stream is named and every number is a pure function of
/// (seed, stream, step, prompt, sample, draw). Nothing depends on batching, order, threads or ranks, and there is no
/// state to save beyond the seed.
///
/// Source: Philox4x32-10, Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace plumbline {

/// Every purpose that draws random numbers. The values enter the key: never renumber, only append.
enum class Stream : uint32_t {
  kSampling = 1,        ///< tokens of a completion
  kProblemOrder = 2,    ///< order of training problems
  kMergeRounding = 3,   ///< stochastic rounding of merged weights
  kHaarDirection = 4,   ///< random control directions
  kShuffledLabels = 5,  ///< permuted labels of contrast pairs
  kBasisProbe = 6,      ///< fixed probe vectors of a basis
  kBootstrap = 7,       ///< resampling in statistics
  kMonitor = 8,         ///< simulated monitor errors
  kFreshInputs = 9,     ///< inputs of fresh hold-out tests
  kMathProbes = 10,     ///< points at which two expressions are evaluated
  kLoraInit = 11,       ///< initial A of a LoRA adapter
  kTeacherPool = 12,    ///< which stored completions a group takes
  kTest = 99
};

struct StreamKey {
  uint64_t seed = 0;
  Stream stream = Stream::kTest;
  uint32_t step = 0;
  uint32_t prompt = 0;
  uint32_t sample = 0;
};

/// One Philox4x32-10 block: 4 words for (key, counter).
std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

/// The top 52 bits as a number in (0, 1): never 0 and never 1, for no input.
double unit_of_bits(uint64_t bits);

/// The numbers of one stream, in order. Cheap to construct; copying forks the stream at its position.
class CounterRng {
 public:
  explicit CounterRng(const StreamKey& key);
  /// Moves to draw number `draw` (0-based; one draw is one 64-bit word).
  void seek(uint64_t draw) { next_ = draw; }
  uint64_t next_u64();
  /// Uniform in (0, 1), 52 bits; never 0 and never 1.
  double next_unit();
  /// Uniform integer in [0, bound); bound > 0. Unbiased (rejection).
  uint64_t next_below(uint64_t bound);
  /// Standard normal (Box-Muller, two draws a number).
  double next_normal();

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 3> fixed_;
  uint64_t next_ = 0;
};

}  // namespace plumbline

#include "plumbline/model/decode_attention.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <cstring>

#include "plumbline/base/check.h"

// One source, several instruction sets, chosen when the program starts: the build itself stays portable.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PL_VECTOR_CLONES __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define PL_VECTOR_CLONES
#endif
#define PL_INLINE inline __attribute__((always_inline))

namespace plumbline {
namespace {

constexpr int64_t kLanes = 8;  // wider vectors are spilled where registers hold 256 bits
using Bits = uint16_t;         // of a bfloat16

/// Vectors of the compiler: lowered to whatever the clone's instruction set has.
template <typename Value, int64_t kCount>
struct Vector {
  typedef Value type __attribute__((vector_size(kCount * sizeof(Value))));
};
template <typename Value, int64_t kCount>
using VectorOf = typename Vector<Value, kCount>::type;

template <typename Sum, typename T>
PL_INLINE Sum widen(T value) {
  if constexpr (std::is_same_v<T, Bits>) {
    const uint32_t bits = uint32_t{value} << 16;
    float wide;
    std::memcpy(&wide, &bits, sizeof wide);
    return wide;
  } else {
    return value;
  }
}

template <typename Sum, typename T>
PL_INLINE void load(const T* from, VectorOf<Sum, kLanes>* to) {
  if constexpr (std::is_same_v<T, Bits>) {
    VectorOf<Bits, kLanes> narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    const VectorOf<uint32_t, kLanes> bits = __builtin_convertvector(narrow, VectorOf<uint32_t, kLanes>) << 16;
    std::memcpy(to, &bits, sizeof bits);
  } else {
    std::memcpy(to, from, sizeof *to);
  }
}

/// Sum of the lanes, halves onto halves.
template <typename Sum, int64_t kCount>
PL_INLINE Sum sum_of_lanes(const VectorOf<Sum, kCount>& lanes) {
  if constexpr (kCount == 2) {
    return lanes[0] + lanes[1];
  } else {
    VectorOf<Sum, kCount / 2> low, high;
    std::memcpy(&low, &lanes, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&lanes) + sizeof low, sizeof high);
    const VectorOf<Sum, kCount / 2> sums = low + high;
    return sum_of_lanes<Sum, kCount / 2>(sums);
  }
}

template <typename Sum, typename T>
PL_INLINE Sum dot(const Sum* a, const T* b, int64_t count) {
  VectorOf<Sum, kLanes> sums = {}, left, right;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::memcpy(&left, a + i, sizeof left);
    load<Sum>(b + i, &right);
    sums += left * right;
  }
  Sum total = sum_of_lanes<Sum, kLanes>(sums);
  for (; i < count; ++i) total += a[i] * widen<Sum>(b[i]);
  return total;
}

/// out[0 .. kLanes) = the weighted sum over the tokens of that part of their values, over `total`.
template <typename Sum, typename T>
PL_INLINE void mix(const Sum* weights, const T* values, int64_t num_tokens, int64_t stride, Sum total, Sum* out) {
  VectorOf<Sum, kLanes> sums = {}, right;
  for (int64_t t = 0; t < num_tokens; ++t) {
    load<Sum>(values + t * stride, &right);
    sums += weights[t] * right;
  }
  sums /= total;
  std::memcpy(out, &sums, sizeof sums);
}

/// e^x of every lane for x <= 0, to two units in the last place; what is below e^-87 comes out as that. Cephes' expf:
/// x = n ln 2 + r with |r| <= ln 2 / 2, and a polynomial in r.
PL_INLINE void exp_of_lanes(VectorOf<float, kLanes>* values) {
  using Floats = VectorOf<float, kLanes>;
  using Ints = VectorOf<int32_t, kLanes>;
  const Floats x = *values < -87.0f ? Floats{} - 87.0f : *values;
  const Ints n = __builtin_convertvector(x * 1.44269504088896341f - 0.5f, Ints);  // towards zero: nearest, for x <= 0
  const Floats whole = __builtin_convertvector(n, Floats);
  const Floats r = (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
  Floats p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  const Ints power = (n + 127) << 23;  // 2^n
  Floats scale;
  std::memcpy(&scale, &power, sizeof scale);
  *values = p * scale;
}

/// scores <- e^(scores - largest); returns their sum. `scores` has room for whole vectors.
template <typename Sum>
PL_INLINE Sum exponentiate(Sum* scores, Sum largest, int64_t num_tokens) {
  Sum total = 0;
  if constexpr (std::is_same_v<Sum, float>) {
    for (int64_t t = num_tokens; t % kLanes != 0; ++t) scores[t] = largest;
    for (int64_t t = 0; t < num_tokens; t += kLanes) {
      VectorOf<float, kLanes> lanes;
      std::memcpy(&lanes, scores + t, sizeof lanes);
      lanes -= largest;
      exp_of_lanes(&lanes);
      std::memcpy(scores + t, &lanes, sizeof lanes);
    }
    for (int64_t t = 0; t < num_tokens; ++t) total += scores[t];
  } else {
    for (int64_t t = 0; t < num_tokens; ++t) total += scores[t] = std::exp(scores[t] - largest);
  }
  return total;
}

/// The queries of one kv head of one row.
template <typename Sum, typename T>
struct HeadGroup {
  const Sum* q;    ///< [num_queries, K], already scaled
  const T *k, *v;  ///< [num_tokens, K]
  Sum* out;        ///< [num_queries, K]
  Sum* scores;     ///< [num_tokens, rounded up to whole vectors], scratch
  int64_t num_queries, num_tokens, head_size;
};

template <typename Sum, typename T>
PL_INLINE void attend(const HeadGroup<Sum, T>& group) {
  const int64_t size = group.head_size;
  for (int64_t query = 0; query < group.num_queries; ++query) {
    const Sum* q = group.q + query * size;
    Sum* out = group.out + query * size;
    Sum largest = -std::numeric_limits<Sum>::infinity();
    for (int64_t t = 0; t < group.num_tokens; ++t) {
      group.scores[t] = dot(q, group.k + t * size, size);
      largest = std::max(largest, group.scores[t]);
    }
    const Sum total = exponentiate(group.scores, largest, group.num_tokens);
    int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) {
      mix(group.scores, group.v + i, group.num_tokens, size, total, out + i);
    }
    for (; i < size; ++i) {
      Sum sum = 0;
      for (int64_t t = 0; t < group.num_tokens; ++t) sum += group.scores[t] * widen<Sum>(group.v[t * size + i]);
      out[i] = sum / total;
    }
  }
}

PL_VECTOR_CLONES void attend_group(const HeadGroup<float, float>& group) {
  attend(group);
}
PL_VECTOR_CLONES void attend_group(const HeadGroup<float, Bits>& group) {
  attend(group);
}
PL_VECTOR_CLONES void attend_group(const HeadGroup<double, double>& group) {
  attend(group);
}

/// T is how the cache stores numbers, Sum what is summed in.
template <typename Sum, typename T>
torch::Tensor attend_rows(const torch::Tensor& q_BHK, const torch::Tensor& k_BHTK, const torch::Tensor& v_BHTK,
                          const torch::Tensor& positions_B, int64_t window_tokens) {
  const int64_t num_rows = q_BHK.size(0), num_kv_heads = k_BHTK.size(1), head_size = q_BHK.size(2);
  const int64_t num_queries = q_BHK.size(1) / num_kv_heads;
  const auto type = c10::CppTypeToScalarType<Sum>::value;
  const torch::Tensor q = (q_BHK.to(type) / std::sqrt(static_cast<double>(head_size))).contiguous();
  const torch::Tensor out = at::empty(q.sizes(), type);
  const auto* positions = positions_B.const_data_ptr<int64_t>();
  const auto* keys = static_cast<const T*>(k_BHTK.const_data_ptr());
  const auto* values = static_cast<const T*>(v_BHTK.const_data_ptr());
  const auto* queries = q.const_data_ptr<Sum>();
  auto* results = out.mutable_data_ptr<Sum>();
  at::parallel_for(0, num_rows * num_kv_heads, 1, [&](int64_t begin, int64_t end) {
    std::vector<Sum> scores;
    for (int64_t item = begin; item < end; ++item) {
      const int64_t row = item / num_kv_heads, head = item % num_kv_heads, num_seen = positions[row] + 1;
      const int64_t num_tokens = window_tokens > 0 ? std::min(num_seen, window_tokens) : num_seen;
      const int64_t first = (num_seen - num_tokens) * head_size;
      scores.resize(static_cast<size_t>((num_tokens + kLanes - 1) / kLanes * kLanes));
      const int64_t place = item * num_queries * head_size;
      attend_group(HeadGroup<Sum, T>{queries + place, keys + row * k_BHTK.stride(0) + head * k_BHTK.stride(1) + first,
                                     values + row * v_BHTK.stride(0) + head * v_BHTK.stride(1) + first, results + place,
                                     scores.data(), num_queries, num_tokens, head_size});
    }
  });
  return out.to(q_BHK.scalar_type());
}

}  // namespace

torch::Tensor decode_attention_cpu(const torch::Tensor& q_BHK, const torch::Tensor& k_BHTK, const torch::Tensor& v_BHTK,
                                   const torch::Tensor& positions_B, int64_t window_tokens) {
  const int64_t head_size = q_BHK.size(2);
  for (const torch::Tensor& cache : {k_BHTK, v_BHTK}) {
    PL_CHECK(cache.scalar_type() == q_BHK.scalar_type() && cache.stride(3) == 1 && cache.stride(2) == head_size,
             "layout of a cache");
  }
  PL_CHECK(positions_B.is_contiguous() && positions_B.size(0) == q_BHK.size(0) && q_BHK.size(1) % k_BHTK.size(1) == 0,
           "shapes of a decode step");
  switch (q_BHK.scalar_type()) {
    case torch::kFloat32:
      return attend_rows<float, float>(q_BHK, k_BHTK, v_BHTK, positions_B, window_tokens);
    case torch::kBFloat16:
      return attend_rows<float, Bits>(q_BHK, k_BHTK, v_BHTK, positions_B, window_tokens);
    case torch::kFloat64:
      return attend_rows<double, double>(q_BHK, k_BHTK, v_BHTK, positions_B, window_tokens);
    default:
      PL_CHECK(false, "dtype of a decode step");
  }
}

void write_token_cpu(torch::Tensor& cache_BHTK, const torch::Tensor& token_BHK, const torch::Tensor& positions_B) {
  PL_CHECK(cache_BHTK.scalar_type() == token_BHK.scalar_type() && cache_BHTK.stride(3) == 1 &&
               positions_B.is_contiguous() && positions_B.size(0) == token_BHK.size(0),
           "shapes of a token for the cache");
  const torch::Tensor tokens = token_BHK.contiguous();
  const int64_t item = cache_BHTK.element_size(), size = tokens.size(2) * item;
  const auto* from = static_cast<const char*>(tokens.const_data_ptr());
  auto* to = static_cast<char*>(cache_BHTK.mutable_data_ptr());
  const auto* positions = positions_B.const_data_ptr<int64_t>();
  for (int64_t row = 0; row < tokens.size(0); ++row) {
    PL_CHECK(positions[row] >= 0 && positions[row] < cache_BHTK.size(2), "a position of the cache");
    char* place = to + (row * cache_BHTK.stride(0) + positions[row] * cache_BHTK.stride(2)) * item;
    for (int64_t head = 0; head < tokens.size(1); ++head, from += size) {
      std::memcpy(place + head * cache_BHTK.stride(1) * item, from, static_cast<size_t>(size));
    }
  }
}

}  // namespace plumbline

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

constexpr int64_t kLanes = 16;
using Bits = uint16_t;  // of a bfloat16

/// Vectors of the compiler: lowered to whatever the clone's instruction set has.
template <typename Sum>
struct Vector {
  typedef Sum type __attribute__((vector_size(kLanes * sizeof(Sum))));
};

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
PL_INLINE void load(const T* from, typename Vector<Sum>::type* to) {
  if constexpr (std::is_same_v<T, Bits>) {
    typedef Bits Narrow __attribute__((vector_size(kLanes * sizeof(Bits))));
    typedef uint32_t Wide __attribute__((vector_size(kLanes * sizeof(uint32_t))));
    Narrow narrow;
    std::memcpy(&narrow, from, sizeof narrow);
    const Wide bits = __builtin_convertvector(narrow, Wide) << 16;
    std::memcpy(to, &bits, sizeof bits);
  } else {
    std::memcpy(to, from, sizeof *to);
  }
}

template <typename Sum, typename T>
PL_INLINE Sum dot(const Sum* a, const T* b, int64_t count) {
  typename Vector<Sum>::type sums = {}, left, right;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::memcpy(&left, a + i, sizeof left);
    load<Sum>(b + i, &right);
    sums += left * right;
  }
  Sum total = 0;
  for (; i < count; ++i) total += a[i] * widen<Sum>(b[i]);
  for (int64_t lane = 0; lane < kLanes; ++lane) total += sums[lane];
  return total;
}

/// out += weight * values
template <typename Sum, typename T>
PL_INLINE void accumulate(Sum* out, Sum weight, const T* values, int64_t count) {
  typename Vector<Sum>::type sums, right;
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    std::memcpy(&sums, out + i, sizeof sums);
    load<Sum>(values + i, &right);
    sums += weight * right;
    std::memcpy(out + i, &sums, sizeof sums);
  }
  for (; i < count; ++i) out[i] += weight * widen<Sum>(values[i]);
}

/// The queries of one kv head of one row.
template <typename Sum, typename T>
struct HeadGroup {
  const Sum* q;    ///< [num_queries, K], already scaled
  const T *k, *v;  ///< [num_tokens, K]
  Sum* out;        ///< [num_queries, K], zeros on entry
  Sum* scores;     ///< [num_tokens], scratch
  int64_t num_queries, num_tokens, head_size;
};

template <typename Sum, typename T>
PL_INLINE void attend(const HeadGroup<Sum, T>& group) {
  const int64_t size = group.head_size;
  for (int64_t query = 0; query < group.num_queries; ++query) {
    const Sum* q = group.q + query * size;
    Sum* out = group.out + query * size;
    Sum largest = -std::numeric_limits<Sum>::infinity(), total = 0;
    for (int64_t t = 0; t < group.num_tokens; ++t) {
      group.scores[t] = dot(q, group.k + t * size, size);
      largest = std::max(largest, group.scores[t]);
    }
    for (int64_t t = 0; t < group.num_tokens; ++t) {
      group.scores[t] = std::exp(group.scores[t] - largest);
      total += group.scores[t];
    }
    for (int64_t t = 0; t < group.num_tokens; ++t) {
      accumulate(out, group.scores[t] / total, group.v + t * size, size);
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
  const torch::Tensor out = at::zeros(q.sizes(), type);
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
      scores.resize(static_cast<size_t>(num_tokens));
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

}  // namespace plumbline

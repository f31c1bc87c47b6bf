/// The one precompiled header of the LibTorch half. Kept light on purpose: torch/torch.h would cost another
/// 10 s here and 10 s in every unit (docs/adr/0002).
#pragma once

#include <torch/types.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#pragma once
#include <cstdint>
namespace confmat {
constexpr std::uint64_t kPartitionLimit = (std::uint64_t{1} << 32) - 2;
}

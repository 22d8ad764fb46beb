// stub until it is generated
#pragma once
#include <cstdint>
namespace atomtune {
struct TreeNode { uint32_t threshold; uint16_t right; uint8_t feature; uint8_t unused; };
enum class Base : uint8_t { global, copies, ranges, hot, threadprivate, partition };
enum class Reduction : uint8_t { none, sr, match };
struct Action { Base base; Reduction reduction; uint8_t unroll; uint8_t unused; uint32_t copies; uint32_t pad; uint32_t parameter; const char* name; };
struct DispatchTree { const char* device; int major, minor, sms; const TreeNode* nodes; uint32_t node_count; const Action* actions; uint32_t action_count; };
inline constexpr TreeNode stub_nodes[] = {
  {0, 2, 4, 0}, /*placeholder replaced*/ };
}

// stub until it is generated
#pragma once
#include <cstdint>
namespace atomtune {
struct TreeNode { uint32_t threshold; uint16_t right; uint8_t feature; uint8_t unused; };
enum class Base : uint8_t { global, copies, ranges, hot, threadprivate, partition };
enum class Reduction : uint8_t { none, sr, match };
struct Action { Base base; Reduction reduction; uint8_t unroll; uint8_t unused; uint32_t copies; uint32_t pad; uint32_t parameter; const char* name; };
struct DispatchTree { const char* device; int major, minor, sms; const TreeNode* nodes; uint32_t node_count; const Action* actions; uint32_t action_count; };
inline constexpr TreeNode stub_nodes[] = {{0, 0, 255, 0}};
inline constexpr Action stub_actions[] = {{Base::global, Reduction::none, 4, 0, 1, 0, 0, "naive"}};
inline constexpr DispatchTree trees[] = {{"stub", 9, 0, 132, stub_nodes, 1, stub_actions, 1}};
}

// libatomtune_cuda with plain loops over the host's memory, for tests without a GPU.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

#include "atomtune_update.h"

extern "C" {
int deterministic_calls = 0;
int slow_us = 0;  // each call then takes so long at least
int plans = 0;    // made
int wrong = 0;  // the last target of each call then is
const void* elsewhere = nullptr;  // this memory is of device 1, other memory of device 0
char order[4096];  // of calls and waits in streams
}

namespace {

using Call = struct atomtune_update;
using Half = _Float16;

// BFloat16 rounds to the nearest, ties to even.
struct BFloat16 {
  uint16_t bits = 0;

  explicit BFloat16(float value) {
    uint32_t all;
    std::memcpy(&all, &value, sizeof all);
    bits = value != value ? 0x7fc0 : (all + 0x7fff + (all >> 16 & 1)) >> 16;
  }
  operator float() const {
    const uint32_t all = static_cast<uint32_t>(bits) << 16;
    float value;
    std::memcpy(&value, &all, sizeof value);
    return value;
  }
};

void note(const std::string& what) {
  std::strncat(order, what.c_str(), sizeof order - std::strlen(order) - 1);
}

std::string number(const void* stream) { return std::to_string(reinterpret_cast<uintptr_t>(stream)); }

const char* text = "";

int refuse(int status, const char* why) {
  text = why;
  return status;
}

// index_at is an index. One of 2^63 or more is below 0, so out of range too.
int64_t index_at(const Call& c, uint64_t u) {
  switch (c.index_type) {
    case ATOMTUNE_INDEX_U8: return static_cast<const uint8_t*>(c.index)[u];
    case ATOMTUNE_INDEX_I8: return static_cast<const int8_t*>(c.index)[u];
    case ATOMTUNE_INDEX_U16: return static_cast<const uint16_t*>(c.index)[u];
    case ATOMTUNE_INDEX_I16: return static_cast<const int16_t*>(c.index)[u];
    case ATOMTUNE_INDEX_U32: return static_cast<const uint32_t*>(c.index)[u];
    case ATOMTUNE_INDEX_I32: return static_cast<const int32_t*>(c.index)[u];
    default: return static_cast<const int64_t*>(c.index)[u];
  }
}

template <typename T, typename V = T>
int run(const Call& c) {
  T* const out = static_cast<T*>(c.out);
  const V* const values = static_cast<const V*>(c.values);
  const uint64_t width = c.width > 0 ? c.width : 1;
  if (c.clear) std::fill(out, out + c.bins * width, T(0));
  for (uint64_t u = 0; u < c.updates; ++u) {
    const int64_t index = index_at(c, u);
    if (c.has_ignore && index == c.ignore) continue;
    const auto row = static_cast<uint64_t>(index) + (c.row_wraps && index < 0 ? c.bins : 0);
    if (row >= c.bins) {
      if (c.error != nullptr) *c.error = 1;
      continue;
    }
    for (uint64_t j = 0; j < width; ++j) {
      T& target = out[row * width + j];
      const T value = c.value == ATOMTUNE_ONE ? T(1) : static_cast<T>(values[u * width + j]);
      const bool stays = target != target || (c.op == ATOMTUNE_MIN ? target <= value : target >= value);
      if (c.op == ATOMTUNE_ADD) {
        target = static_cast<T>(target + value);
      } else if (!stays) {
        target = value;
      }
    }
  }
  deterministic_calls += c.deterministic;
  if (slow_us > 0) usleep(slow_us);
  if (T& last = out[c.bins * width - 1]; wrong) last = static_cast<T>(last + T(1));
  return ATOMTUNE_OK;
}

// check refuses what the library refuses.
int check(const Call& c) {
  if (c.struct_size != sizeof c) return refuse(ATOMTUNE_ARGUMENT, "struct_size");
  const bool half = c.type == ATOMTUNE_F16 || c.type == ATOMTUNE_BF16;
  if (c.out == nullptr ||
      (c.updates > 0 && (c.index == nullptr || (c.values == nullptr) != (c.value == ATOMTUNE_ONE)))) {
    return refuse(ATOMTUNE_ARGUMENT, "NULL");
  }
  if (c.bins >= 0xffffffff) return refuse(ATOMTUNE_ARGUMENT, "bins");
  if (c.index_type < ATOMTUNE_INDEX_U32 || c.index_type > ATOMTUNE_INDEX_I16) {
    return refuse(ATOMTUNE_ARGUMENT, "index_type");
  }
  if ((half && c.deterministic) ||
      (c.value == ATOMTUNE_ONE && (c.width != 0 || c.op != ATOMTUNE_ADD)) ||
      (c.values_type != 0 && (c.type != ATOMTUNE_F32 || c.op != ATOMTUNE_ADD)) ||
      (c.row_wraps && c.width == 0 && !half) || ((c.clear || c.deterministic) && c.op != ATOMTUNE_ADD)) {
    return refuse(ATOMTUNE_UNSUPPORTED, "no such call");
  }
  return ATOMTUNE_OK;
}

}  // namespace

extern "C" int atomtune_update_workspace(const Call* call, size_t* bytes) {
  *bytes = 64;
  return check(*call);
}

extern "C" int atomtune_plan_make(const Call* call, struct atomtune_plan** plan) {
  ++plans;
  *plan = reinterpret_cast<struct atomtune_plan*>(new int);
  return check(*call);
}

extern "C" void atomtune_plan_free(struct atomtune_plan* plan) { delete reinterpret_cast<int*>(plan); }

extern "C" int atomtune_update(const struct atomtune_update* call) {
  const auto& c = *call;
  if (const int status = check(c); status != ATOMTUNE_OK) return status;
  if (c.workspace != nullptr && c.workspace_bytes < 64) return refuse(ATOMTUNE_ARGUMENT, "workspace");
  if (c.stream != nullptr) note("update in " + number(c.stream) + "; ");
  switch (c.type) {
    case ATOMTUNE_U32: return run<uint32_t>(c);
    case ATOMTUNE_U64: return run<uint64_t>(c);
    case ATOMTUNE_I32: return run<int32_t>(c);
    case ATOMTUNE_I64: return run<int64_t>(c);
    case ATOMTUNE_F64: return run<double>(c);
    case ATOMTUNE_F16: return run<Half>(c);
    case ATOMTUNE_BF16: return run<BFloat16>(c);
    case ATOMTUNE_F32: break;
    default: return refuse(ATOMTUNE_UNSUPPORTED, "type");
  }
  return c.values_type == ATOMTUNE_F16    ? run<float, Half>(c)
         : c.values_type == ATOMTUNE_BF16 ? run<float, BFloat16>(c)
                                          : run<float>(c);
}

extern "C" size_t atomtune_update_error(char* to, size_t size) {
  return std::snprintf(to, size, "%s", text);
}

// The driver's functions that the package calls. An event holds the stream in which it was recorded.
extern "C" int cuPointerGetAttribute(int* device, int, const void* memory) {
  *device = memory == elsewhere;
  return 0;
}
extern "C" int cuCtxGetDevice(int* device) { return *device = 0; }
extern "C" int cuEventCreate(const void*** event, unsigned) { return *event = new const void*, 0; }
extern "C" int cuEventRecord(const void** event, const void* stream) { return *event = stream, 0; }
extern "C" int cuEventDestroy_v2(const void** event) { return delete event, 0; }
extern "C" int cuStreamWaitEvent(const void* stream, const void** event, unsigned) {
  return note(number(stream) + " waits for " + number(*event) + "; "), 0;
}

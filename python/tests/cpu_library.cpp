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

struct BFloat16 {
  uint16_t bits;

  BFloat16(float value) {  // to nearest, ties to even
    uint32_t all;
    std::memcpy(&all, &value, sizeof all);
    bits = value != value ? 0x7fc0 : (all + 0x7fff + (all >> 16 & 1)) >> 16;
  }
  operator float() const {
    const uint32_t all = uint32_t(bits) << 16;
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

template <typename T, typename V, typename I>
int run(const Call& c) {
  T* const out = static_cast<T*>(c.out);
  const I* const index = static_cast<const I*>(c.index);
  const V* const values = static_cast<const V*>(c.values);
  const uint64_t width = c.width > 0 ? c.width : 1;
  if (c.clear) std::fill(out, out + c.bins * width, T(0));
  for (uint64_t u = 0; u < c.updates; ++u) {
    if (c.has_ignore && index[u] == c.ignore) continue;
    const auto row = static_cast<uint64_t>(index[u]) + (c.row_wraps && index[u] < 0 ? c.bins : 0);
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
  if (wrong) out[c.bins * width - 1] = static_cast<T>(out[c.bins * width - 1] + T(1));
  return ATOMTUNE_OK;
}

template <typename T, typename V = T>
int by_index(const Call& c) {
  return c.index_type == ATOMTUNE_INDEX_I32 ? run<T, V, int32_t>(c) : run<T, V, int64_t>(c);
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
  if (c.index_type != ATOMTUNE_INDEX_I32 && c.index_type != ATOMTUNE_INDEX_I64) {
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
    case ATOMTUNE_I32: return by_index<int32_t>(c);
    case ATOMTUNE_I64: return by_index<int64_t>(c);
    case ATOMTUNE_F64: return by_index<double>(c);
    case ATOMTUNE_F16: return by_index<Half>(c);
    case ATOMTUNE_BF16: return by_index<BFloat16>(c);
    case ATOMTUNE_F32: break;
    default: return refuse(ATOMTUNE_UNSUPPORTED, "type");
  }
  return c.values_type == ATOMTUNE_F16    ? by_index<float, Half>(c)
         : c.values_type == ATOMTUNE_BF16 ? by_index<float, BFloat16>(c)
                                          : by_index<float>(c);
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

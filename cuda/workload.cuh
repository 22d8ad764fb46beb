// What every implementation is given: the targets, indices and values of one
// stream and type in device memory.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device.cuh"
#include "forms.cuh"
#include "reference.cuh"
#include "stream.cuh"

// Updates are a stream's indices and values on the device, in some order; values
// is empty where each update adds 1.
template <typename T>
struct Updates {
  Updates(const std::vector<uint32_t>& i, const std::vector<T>& v) : index(i), values(v) {}

  DeviceArray<uint32_t> index;
  DeviceArray<T> values;
};

template <typename T>
struct Workload {
  Workload(const Stream& s, const std::vector<uint32_t>& l, bool o)
      : stream(s), layout(l), ones(o), target(s.bins),
        in_order(std::make_shared<Updates<T>>(s.index, host_values())) {}

  const Stream& stream;
  const std::vector<uint32_t>& layout;  // of [egielski14] Algorithm 3
  const bool ones;
  DeviceArray<T> target;
  std::shared_ptr<Updates<T>> in_order;

  size_t updates() const { return stream.updates(); }
  uint32_t bins() const { return stream.bins; }

  // distinct is an upper bound on the number of targets touched.
  size_t distinct() const { return std::min<size_t>(updates(), bins()); }

  std::vector<T> host_values() const {
    return ones ? std::vector<T>() : make_values<T>(updates());
  }

  std::shared_ptr<Updates<T>> scattered() const {
    const std::vector<T> values =
        ones ? std::vector<T>() : permuted(host_values(), layout);
    return std::make_shared<Updates<T>>(permuted(stream.index, layout), values);
  }

  // with_values calls body with the values in the form that a kernel takes.
  template <typename Body>
  auto with_values(const Updates<T>& updates, Body body) const {
    return ones ? body(Ones{}) : body(Loaded<T>{updates.values.data()});
  }

  // blocks_for is the grid for a grid-stride loop: at most limit blocks, and none
  // without work.
  unsigned blocks_for(size_t items, unsigned threads, unsigned limit) const {
    return unsigned(std::min<size_t>(limit, (items + threads - 1) / threads));
  }
};

// Launch describes the updating kernel's launch.
struct Launch {
  unsigned blocks, threads;
  size_t shared_bytes;
};

// Prepared is an implementation with its memory allocated. run enqueues all its
// kernels on the default stream; the targets have been cleared. launch is empty
// where a library chooses it.
struct Prepared {
  std::optional<Launch> launch;
  std::function<void()> run;
};

// Implementation is one way to perform a workload's updates. prepare is not timed
// and throws where CUDA refuses.
struct Implementation {
  std::string name;
  std::function<Prepared()> prepare;
};

// What the tests of the call that decides on a GPU share: how much they do, working memory,
// guarded targets, trees of one form. Each gpu_dispatch_NOUN_test.cu has a part of them, so
// that they compile side by side.
#pragma once

#include <memory>
#include <utility>

#include "../atomtune_dispatch.cuh"
#include "gpu_test.cuh"
#include "through_library.cuh"

// Parts of the test, in the order of dispatch_gpu_test.cu.
void test_sums_u32();
void test_sums_i32();
void test_sums_f32();
void test_sums_u64();
void test_sums_i64();
void test_sums_f64();
void test_halves();
void test_least();
void test_greatest();
void test_same_bits_f32();
void test_same_bits_f64();
void test_same_bits_u32();
void test_device_tree();
void test_graphs();
void test_side_by_side();
void test_plans();
void test_mode();
void test_indices();
void test_many_targets();
void test_edges();

// Work is how much the parts do. Under compute-sanitizer it is less.
struct Work {
  bool quick = false;
  bool raw = false;  // working memory is left as it comes, so that initcheck knows what is read

  size_t updates() const { return quick ? size_t(1) << 12 : size_t(1) << 20; }
  int repeats() const { return quick ? 5 : 1000; }
  uint64_t targets() const { return quick ? uint64_t(1) << 20 : uint64_t(1) << 31; }
};

inline Work work;

// Workspace owns what a call asks for. It holds other bytes than zeros, since no call relies
// on any.
class Workspace {
 public:
  template <typename Call>
  explicit Workspace(Call call) {
    CHECK_CUDA(call(static_cast<void*>(nullptr), bytes_));
    memory_.reset(new DeviceArray<unsigned char>(bytes_));
    if (!work.raw) CHECK_CUDA(cudaMemset(memory_->data(), 0xa5, bytes_));
    CHECK_CUDA(cudaDeviceSynchronize());  // streams do not wait for the default one
  }
  void* data() const { return memory_->data(); }
  size_t& bytes() { return bytes_; }

 private:
  size_t bytes_ = 0;
  std::unique_ptr<DeviceArray<unsigned char>> memory_;
};

// finish makes a call of two phases, call(memory, bytes), and waits for it.
template <typename Call>
void finish(Call call) {
  Workspace workspace(call);
  CHECK_CUDA(call(workspace.data(), workspace.bytes()));
  CHECK_CUDA(cudaDeviceSynchronize());
}

// Guarded is an array on the device between others that no call may write to.
template <typename T>
class Guarded {
 public:
  explicit Guarded(const std::vector<T>& inner) : size_(inner.size()), all_(framed(inner)) {}

  T* data() const { return all_.data() + guard; }

  // read returns the array, and demands of the others that they are as they were.
  std::vector<T> read(const std::string& what) const {
    const std::vector<T> all = all_.to_host();
    const auto inner = all.begin() + guard, end = inner + size_;
    const auto outside = std::count(all.begin(), inner, T(99)) + std::count(end, all.end(), T(99));
    expect(outside == 2 * guard, what + ": something outside was written");
    return {inner, end};
  }

 private:
  static constexpr std::ptrdiff_t guard = 4096;

  static std::vector<T> framed(const std::vector<T>& inner) {
    std::vector<T> all(guard, T(99));
    all.insert(all.end(), inner.begin(), inner.end());
    all.insert(all.end(), guard, T(99));
    return all;
  }

  size_t size_;
  DeviceArray<T> all_;
};

// OneAction is a tree that comes to one form, after a decision or without one.
class OneAction {
 public:
  explicit OneAction(const atomtune::Action& action)
      : actions_{action, action},
        nodes_{{0xffffffffu, 2, atomtune::feature_pairs, 0},
               {0, 0, atomtune::CutTree::leaf, 0},
               {0, 1, atomtune::CutTree::leaf, 0}} {}

  atomtune::DispatchTree tree(bool decides) const {
    return {"test", 9, 0, 132, decides ? nodes_ : nodes_ + 1, decides ? 3u : 1u, actions_, 2};
  }

 private:
  atomtune::Action actions_[2];
  atomtune::TreeNode nodes_[3];
};

// all_actions are all forms that a call may come to.
inline std::vector<atomtune::Action> all_actions() {
  using atomtune::Base;
  using atomtune::Reduction;
  std::vector<atomtune::Action> list;
  for (Reduction reduction : {Reduction::none, Reduction::sr, Reduction::match}) {
    list.push_back({Base::global, reduction, 1, 0, 0, "global"});
    list.push_back({Base::copies, reduction, 32, 1, 0, "copies"});
    list.push_back({Base::hot, reduction, 4, 1, 256, "hot"});
  }
  list.push_back({Base::ranges, Reduction::none, 1, 1, 4, "ranges"});
  list.push_back({Base::threadprivate, Reduction::none, 1, 0, 0, "threadprivate"});
  list.push_back({Base::partition, Reduction::none, 1, 0, 1024, "partition"});
  return list;
}

// indices_of are targets as indices of another type.
template <typename I>
std::vector<I> indices_of(const std::vector<uint32_t>& targets) {
  return std::vector<I>(targets.begin(), targets.end());
}

// has_room reports whether the device has so many bytes left, and prints a line if not.
inline bool has_room(size_t bytes, const std::string& what) {
  size_t left = 0, all = 0;
  CHECK_CUDA(cudaMemGetInfo(&left, &all));
  if (left >= bytes) return true;
  std::printf("left out: %s, for which %zu bytes are wanted and %zu are left\n", what.c_str(),
              bytes, left);
  return false;
}

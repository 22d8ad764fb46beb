// Calls on a GPU that are under way at once: in two streams of one thread, and in a stream of
// each of several threads.
#include <cmath>
#include <future>

#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

// Caller adds a stream of updates again and again, in a CUDA stream of its own, by a tree, or by
// the one for this GPU where that is null.
class Caller {
 public:
  Caller(const DispatchTree* tree, const std::vector<uint32_t>& targets, uint32_t bins)
      : targets_(targets), index_(targets), values_(std::vector<uint32_t>(targets.size(), 3)),
        out_(std::vector<uint32_t>(bins, 0)) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    options_.tree = tree;
    workspace_.reset(new Workspace(
        [&](void* memory, size_t& bytes) { return call(memory, bytes); }));
  }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() { cudaStreamDestroy(stream_); }

  void enqueue() {
    CHECK_CUDA(call(workspace_->data(), workspace_->bytes()));
    ++calls_;
  }
  void wait() const { CHECK_CUDA(cudaStreamSynchronize(stream_)); }

  bool is_right() const {
    std::vector<uint32_t> want(out_.size());
    for (uint32_t i : targets_) want[i] += 3 * calls_;
    return calls_ > 0 && out_.to_host() == want;
  }

 private:
  cudaError_t call(void* memory, size_t& bytes) const {
    return scatter_add(memory, bytes, out_.data(), out_.size(), index_.data(), values_.data(),
                       targets_.size(), stream_, options_);
  }

  const std::vector<uint32_t> targets_;
  DeviceArray<uint32_t> index_, values_, out_;
  CallOptions options_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Workspace> workspace_;
  uint32_t calls_ = 0;
};

// FormCaller is a Caller of one form.
class FormCaller {
 public:
  FormCaller(const Action& action, std::mt19937_64& random)
      : one_(action), tree_(one_.tree(true)),
        caller_(&tree_, random_indices(random, work.updates(), bins), bins) {}
  Caller& caller() { return caller_; }

 private:
  static constexpr uint32_t bins = 5000;

  OneAction one_;
  DispatchTree tree_;
  Caller caller_;
};

// enqueue_both makes calls of both in turn, and reports whether all sums are right.
bool enqueue_both(Caller& a, Caller& b, int calls) {
  for (int call = 0; call < calls; ++call) {
    a.enqueue();
    b.enqueue();
  }
  a.wait();
  b.wait();
  return a.is_right() && b.is_right();
}

// check_two has each two forms side by side.
void check_two(std::mt19937_64& random) {
  const std::vector<Action> actions = all_actions();
  for (size_t k = 0; k < actions.size(); ++k) {
    const Action& other = actions[(k + actions.size() / 2) % actions.size()];
    FormCaller a(actions[k], random), b(other, random);
    expect(enqueue_both(a.caller(), b.caller(), std::min(work.repeats(), 20)),
           std::string("in two streams at once: ") + actions[k].name + " and " + other.name);
  }
}

// skewed draws targets of which the first are the more frequent the higher the power is.
std::vector<uint32_t> skewed(std::mt19937_64& random, size_t updates, uint32_t bins,
                             double power) {
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<uint32_t> targets(updates);
  for (uint32_t& target : targets) {
    target = std::min(bins - 1, uint32_t(bins * std::pow(share(random), power)));
  }
  return targets;
}

// check_load makes a thousand calls for which this GPU's tree decides, half of them in each of
// two streams: of streams of many lengths, numbers of targets and skews.
void check_load(std::mt19937_64& random) {
  const uint32_t sizes[] = {1, 37, 256, 5000, 65536, 1u << 20};
  const double powers[] = {1, 4, 20};
  const int pairs = 10, calls = std::max(1, work.repeats() / (2 * pairs));
  size_t k = 0;
  const auto draw = [&] {
    const uint32_t bins = sizes[k % 6];
    const size_t updates = work.updates() >> (k % 5 * 2);
    const double power = powers[k++ / 6 % 3];
    return std::unique_ptr<Caller>(
        new Caller(nullptr, skewed(random, updates, bins, power), bins));
  };
  for (int pair = 0; pair < pairs; ++pair) {
    const auto a = draw(), b = draw();
    expect(enqueue_both(*a, *b, calls),
           "in two streams at once, by the GPU's tree: pair " + std::to_string(pair));
  }
  std::printf("%d calls by the GPU's tree in two streams\n", 2 * pairs * calls);
}

// check_threads has a thread for each form.
void check_threads(std::mt19937_64& random) {
  std::vector<std::unique_ptr<FormCaller>> callers;
  for (const Action& action : all_actions()) {
    callers.emplace_back(new FormCaller(action, random));
  }
  std::vector<std::future<void>> threads;
  for (const auto& each : callers) {
    threads.push_back(std::async(std::launch::async, [&each] {
      for (int call = 0; call < std::min(work.repeats(), 50); ++call) each->caller().enqueue();
      each->caller().wait();
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
  for (const auto& each : callers) expect(each->caller().is_right(), "a call of one of many threads");
}

}  // namespace

void test_side_by_side() {
  std::mt19937_64 random(71);
  check_two(random);
  check_load(random);
  check_threads(random);
}

// Calls on a GPU that are under way at once: in two streams of one thread, and in a stream of
// each of several threads.
#include <future>

#include "gpu_dispatch.cuh"

using namespace atomtune;

namespace {

// Caller adds a stream of updates again and again, in a CUDA stream of its own, by one form.
class Caller {
 public:
  Caller(const Action& action, const std::vector<uint32_t>& targets, uint32_t bins)
      : one_(action), tree_(one_.tree(true)), targets_(targets), index_(targets),
        values_(std::vector<uint32_t>(targets.size(), 3)),
        out_(std::vector<uint32_t>(bins, 0)) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    options_.tree = &tree_;
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

  OneAction one_;
  DispatchTree tree_;
  const std::vector<uint32_t> targets_;
  DeviceArray<uint32_t> index_, values_, out_;
  CallOptions options_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Workspace> workspace_;
  uint32_t calls_ = 0;
};

std::unique_ptr<Caller> caller(const Action& action, std::mt19937_64& random) {
  const uint32_t bins = 5000;
  return std::unique_ptr<Caller>(
      new Caller(action, random_indices(random, work.updates(), bins), bins));
}

// check_two has each two forms side by side.
void check_two(std::mt19937_64& random) {
  const std::vector<Action> actions = all_actions();
  for (size_t k = 0; k < actions.size(); ++k) {
    const Action& other = actions[(k + actions.size() / 2) % actions.size()];
    const auto a = caller(actions[k], random), b = caller(other, random);
    for (int call = 0; call < std::min(work.repeats(), 20); ++call) {
      a->enqueue();
      b->enqueue();
    }
    a->wait();
    b->wait();
    expect(a->is_right() && b->is_right(), std::string("in two streams at once: ") +
                                               actions[k].name + " and " + other.name);
  }
}

// check_threads has a thread for each form.
void check_threads(std::mt19937_64& random) {
  std::vector<std::unique_ptr<Caller>> callers;
  for (const Action& action : all_actions()) {
    if (action.unroll == 1) callers.push_back(caller(action, random));
  }
  std::vector<std::future<void>> threads;
  for (const auto& each : callers) {
    threads.push_back(std::async(std::launch::async, [&each] {
      for (int call = 0; call < std::min(work.repeats(), 50); ++call) each->enqueue();
      each->wait();
    }));
  }
  for (std::future<void>& thread : threads) thread.get();
  for (const auto& each : callers) expect(each->is_right(), "a call of one of many threads");
}

}  // namespace

void test_side_by_side() {
  std::mt19937_64 random(71);
  check_two(random);
  check_threads(random);
}

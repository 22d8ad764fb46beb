#include "autotune.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

#include "library.h"

namespace atomtune_torch {

// A Clock measures the time between two points of the device's current stream; on the CPU, between two
// calls.
class Clock {
 public:
  explicit Clock(c10::Device device) : device_(device) {}

  void start() { record(&first_); }
  void stop() { record(&last_); }

  // us is the time, once the stream has passed the second point.
  std::optional<double> us() const {
    if (device_.is_cpu()) return std::chrono::duration<double, std::micro>(last_.time - first_.time).count();
    if (!last_.event->query()) return std::nullopt;
    return 1000 * first_.event->elapsedTime(*last_.event);
  }

 private:
  struct Mark {
    std::optional<c10::Event> event;
    std::chrono::steady_clock::time_point time;
  };

  void record(Mark* mark) const {
    if (device_.is_cpu()) {
      mark->time = std::chrono::steady_clock::now();
      return;
    }
    if (!mark->event) mark->event.emplace(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    mark->event->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
  }

  const c10::Device device_;
  Mark first_, last_;
};

struct Candidate {
  double us = 0;
  int runs = 0;      // timed ones, and the first
  int64_t last = 0;  // the call that was timed last
};

struct Group {
  explicit Group(c10::Device device) : clock(device) {}

  Candidate ours, pytorch, sampled;  // sampled: ours without its plan
  Clock clock;
  Candidate* running = nullptr;  // the one being timed
  bool ended = false;
  int64_t calls = 0;
  Plan plan;
  bool plan_in_use = false;
  double planned_us = 0, slow_us = 0;   // the least time by the plan, and that which made it stale
  int64_t useless = 0, tunes_from = 0;  // how often measuring again gained nothing, and the next call for it

  bool ours_is_faster() const { return pytorch.runs == 0 || ours.us <= pytorch.us; }

  // next returns the kernel for the next call and whether to time it. Our first run may load code, and may
  // be refused, so it is not timed. PyTorch's first run may load code too, so it is timed twice, unless it
  // is very slow.
  std::pair<Candidate*, bool> next(bool tune) {
    ++calls;
    if (running != nullptr && ended) read();
    Candidate* const faster = ours_is_faster() ? &ours : &pytorch;
    if (running != nullptr || ours.runs == 0) return {faster, false};
    if (ours.runs == 1) return {&ours, true};
    if (pytorch.runs == 0 || (pytorch.runs == 1 && pytorch.us < 64 * ours.us)) return {&pytorch, true};
    if (tune && faster == &ours && calls % 32 == 0) return {&sampled, true};
    // The faster one is timed every 16 calls, the slower one so rarely that its runs cost 2 % at most.
    Candidate* const slower = faster == &ours ? &pytorch : &ours;
    const double times = std::min(slower->us / std::max(faster->us, 1.0), 1e9);
    if (calls >= slower->last + static_cast<int64_t>(64 * times)) return {slower, true};
    return {faster, calls >= faster->last + 16};
  }

  // read takes the time that was measured.
  void read() {
    const auto us = clock.us();
    if (!us) return;
    running->us = *us;
    ++running->runs;
    running->last = calls;
    if (running == &ours && planned_us == 0) {
      if (slow_us > 0 && *us > 0.8 * slow_us) ++useless;
      planned_us = *us, slow_us = 0;
    } else if (running == &ours) {
      if (*us > 1.3 * planned_us) measure_again();
      planned_us = std::min(planned_us, *us);
    } else if (running == &sampled && planned_us > 0 && *us < 0.9 * ours.us) {
      measure_again();
    }
    running = nullptr;
  }

  // measure_again has the plan made anew, since the indices have changed. Where that gains nothing, it
  // waits longer before the next time.
  void measure_again() {
    if (calls < tunes_from) return;
    plan.stale = true, planned_us = 0, slow_us = ours.us;
    tunes_from = calls + (int64_t(16) << std::min<int64_t>(useless, 32));
  }
};

namespace {

std::mutex choosing;

// They outlive the end of the process, where CUDA may already be gone.
using Kind = std::tuple<const void*, at::ScalarType, int, int, int>;
auto& groups = *new std::map<Kind, std::shared_ptr<Group>>;

}  // namespace

void forget_groups() {
  const std::lock_guard<std::mutex> lock(choosing);
  groups.clear();
}

Trial::Trial(const void* op, const at::Tensor& self, int64_t updates, bool tune) {
  const bool free = !capturing(self.device());
  const auto power = [](int64_t n) { return std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n, 0))); };
  const std::lock_guard<std::mutex> lock(choosing);
  auto& group = groups[{op, self.scalar_type(), self.device().index(), power(updates), power(self.numel())}];
  if (group == nullptr) group = std::make_shared<Group>(self.device());
  group_ = group;
  if (!free) {
    ours_ = group_->ours_is_faster();
    return;
  }
  const auto [candidate, timed] = group_->next(tune);
  ours_ = candidate != &group_->pytorch;
  timed_ = timed;
  plans_ = tune && candidate == &group_->ours && !group_->plan_in_use && Plan::in_use == nullptr;
  if (plans_) {
    group_->plan_in_use = true;
    Plan::in_use = &group_->plan;
  }
  if (!timed) return;
  group_->clock.start();
  group_->running = candidate;
  group_->ended = false;
}

void Trial::end() {
  const std::lock_guard<std::mutex> lock(choosing);
  if (plans_ && group_->plan.measured) return;
  if (timed_) {
    group_->clock.stop();
    group_->ended = true;
    timed_ = false;
  } else if (ours_) {
    group_->ours.runs = std::max(group_->ours.runs, 1);
  }
}

Trial::~Trial() {
  const std::lock_guard<std::mutex> lock(choosing);
  if (plans_) {
    Plan::in_use = nullptr;
    group_->plan_in_use = false;
  }
  if (timed_) group_->running = nullptr;
}

}  // namespace atomtune_torch

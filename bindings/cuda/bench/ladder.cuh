// What a careful expert writes without a model of the device: a ladder of forms by sizes alone, in
// a grid of the blocks that are resident at once.
#pragma once

#include "forms.cuh"
#include "ladder_rule.h"

namespace bench {

// add_rung adds the call of the ladder, whose chosen form is the rung that it takes.
template <typename Kernel, typename... Layout>
void add_rung(Solver& s, const Rung& rung, Kernel kernel, Layout... layout) {
  const size_t bytes = rung.bytes(s.p.bins, sizeof(T));
  const Resident resident{resident_blocks(s, kernel, 256, bytes),
                          resident_blocks(s, kernel, 1024, bytes)};
  const Grid grid{resident.blocks(unsigned(s.sms), s.p.updates), resident.threads(),
                  ladder_unroll};
  const std::string name = rung.name() + " " + grid.name();
  const Problem p = s.p;
  s.add({"ladder", "", index_name(), false,
         [=](cudaStream_t stream) {
           kernel<<<grid.blocks, grid.threads, bytes, stream>>>(
               p.out, p.index, p.loaded(), size_t(p.updates), layout...);
           return cudaGetLastError();
         },
         [=] { return name; }});
}

inline void add_ladder(Solver& s) {
  using atomtune::Copies;
  constexpr int turns = ladder_unroll;
  const Rung rung = rung_of(s.p.bins, sizeof(T), s.block_bytes);
  const Copies copies{uint32_t(s.p.bins), rung.copies, rung.pad, false};
  if (rung.copies == 0) {
    add_rung(s, rung, &atomtune::update_global<atomtune::Match, turns, T, Values, const Index*>);
  } else if (rung.reduces) {
    add_rung(s, rung, &atomtune::update_private<atomtune::ScanReduce, turns, T, Values, Copies, const Index*>,
             copies);
  } else {
    add_rung(s, rung, &atomtune::update_private<atomtune::Naive, turns, T, Values, Copies, const Index*>,
             copies);
  }
}

}  // namespace bench

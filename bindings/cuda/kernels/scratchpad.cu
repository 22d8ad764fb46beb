// The columns of scratchpad.csv that every GPU can run.
#include "scratchpad.cuh"

SCRATCHPAD(u32_load, Alone<Load>, uint32_t)
SCRATCHPAD(u32_store, Alone<StoreLoad>, uint32_t)
SCRATCHPAD(u32_add, Alone<Add>, uint32_t)
SCRATCHPAD(u32_inc, Alone<AddOne>, uint32_t)
SCRATCHPAD(u32_min, Alone<Min>, uint32_t)
SCRATCHPAD(u32_exch, Alone<Exch>, uint32_t)
SCRATCHPAD(u32_casloop, Together<CasLoop>, uint32_t)
SCRATCHPAD(f32_add, Alone<Add>, float)
SCRATCHPAD(f32_casloop, Together<CasLoop>, float)
SCRATCHPAD(u64_load, Alone<Load>, u64)
SCRATCHPAD(u64_store, Alone<StoreLoad>, u64)
SCRATCHPAD(u64_add, Alone<Add>, u64)
SCRATCHPAD(u64_exch, Alone<Exch>, u64)
SCRATCHPAD(f64_add, Alone<Add>, double)
SCRATCHPAD(f64_casloop, Together<CasLoop>, double)

package main

// #include "api.h"
import "C"

import (
	"fmt"
	"unsafe"

	"github.com/atomtune/atomtune/bindings/clib/internal/request"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// The numbers of C are those of Go: else one of these is not an index of an array of one.
var (
	_ = [1]int{}[C.ATOMTUNE_F64-device.F64]
	_ = [1]int{}[C.ATOMTUNE_BF16-device.BF16]
	_ = [1]int{}[C.ATOMTUNE_MAX-device.Max]
	_ = [1]int{}[C.ATOMTUNE_ONE-device.One]
	_ = [1]int{}[C.ATOMTUNE_LEAF-request.Leaf]
	_ = [1]int{}[C.ATOMTUNE_FEATURES-dispatch.NumFeatures]
)

// mostType is the last type of a call: rows have one of their own.
func mostType(c *C.struct_atomtune_call) int {
	if c.width > 0 {
		return int(C.ATOMTUNE_BF16)
	}
	return int(C.ATOMTUNE_F64)
}

func asked(c *C.struct_atomtune_call) (*request.Request, error) {
	for _, n := range []struct {
		name  string
		value C.int32_t
		most  int
	}{
		{"type", c._type, mostType(c)}, {"values", c.values, mostType(c)},
		{"op", c.op, int(C.ATOMTUNE_MAX)},
		{"value", c.value, int(C.ATOMTUNE_ONE)}, {"index", c.index, int(C.ATOMTUNE_INDEX_I64)},
		{"has_ignore", c.has_ignore, 1}, {"returns", c.returns, 1}, {"keeps", c.keeps, 1},
		{"deterministic", c.deterministic, 1}, {"no_sort", c.no_sort, 1}, {"cautious", c.cautious, 1},
		{"relaid", c.relaid, 1}, {"whole", c.whole, 1}, {"rule_launch", c.rule_launch, 1},
	} {
		if n.value < 0 || int(n.value) > n.most {
			return nil, fmt.Errorf("%w: %s is %d, want 0 to %d", request.ErrArgument, n.name, n.value,
				n.most)
		}
	}
	if c.launch_threads > 1<<30 || c.launch_unroll > 1<<30 {
		return nil, fmt.Errorf("%w: launch of %d threads, unroll %d", request.ErrArgument,
			c.launch_threads, c.launch_unroll)
	}
	calls := int(max(c.calls, c.launches))
	if c.calls != 0 && c.launches != 0 && c.calls != c.launches {
		return nil, fmt.Errorf("%w: calls is %d, and launches, its other name, is "+
			"%d", request.ErrArgument, c.calls, c.launches)
	}
	return &request.Request{
		Device: text(c.device), Only: text(c.only), Exclude: text(c.exclude),
		Bins: uint64(c.bins), Whole: c.whole == 1, RuleLaunch: c.rule_launch == 1,
		Options: tuner.Options{
			Call: device.Call{Type: device.Type(c._type), Operand: device.Operand(c.value),
				Returns: c.returns == 1, Op: device.Op(c.op), Keeps: c.keeps == 1,
				Width: uint64(c.width), Values: device.Type(c.values)},
			Calls: calls, Relaid: c.relaid == 1, Deterministic: c.deterministic == 1, NoSort: c.no_sort == 1,
			Cautious: c.cautious == 1, MemoryBytes: uint64(c.memory_bytes),
			Launches: []device.Launch{{Blocks: uint64(c.launch_blocks), Threads: int(c.launch_threads),
				Unroll: int(c.launch_unroll)}},
		},
		Sampling: tuner.SamplingBudget{Calls: calls, CostUS: float64(c.sampling_cost_us),
			MostUS: float64(c.sampling_most_us), Seed: uint64(c.seed)},
	}, nil
}

// single is asked for a call of single values.
func single(c *C.struct_atomtune_call) (*request.Request, error) {
	if c.width > 0 {
		return nil, fmt.Errorf("%w: width: only a choice for the indices themselves supports rows", request.ErrArgument)
	}
	return asked(c)
}

func text(s *C.char) string {
	if s == nil {
		return ""
	}
	return C.GoString(s)
}

// stream returns the indices of a call, which stay where they are.
func stream(c *C.struct_atomtune_call, index unsafe.Pointer, n C.uint64_t) (request.Stream, error) {
	const most = 1 << 46 // updates of 8 bytes, more than any process can address
	if n > most {
		return nil, fmt.Errorf("%w: n is %d", request.ErrArgument, n)
	}
	if bytes := uintptr(4 + c.index/2*4); uintptr(index)%bytes != 0 {
		return nil, fmt.Errorf("%w: index is not at a multiple of its %d bytes", request.ErrArgument, bytes)
	}
	switch c.index {
	case C.ATOMTUNE_INDEX_U32:
		return request.NewStream[uint32](index, int(n), c.has_ignore == 1, int64(c.ignore)), nil
	case C.ATOMTUNE_INDEX_I32:
		return request.NewStream[int32](index, int(n), c.has_ignore == 1, int64(c.ignore)), nil
	case C.ATOMTUNE_INDEX_U64:
		return request.NewStream[uint64](index, int(n), c.has_ignore == 1, int64(c.ignore)), nil
	}
	return request.NewStream[int64](index, int(n), c.has_ignore == 1, int64(c.ignore)), nil
}

// answer fills in a choice of C.
func answer(to *C.struct_atomtune_choice, a *request.Answer) {
	put(&to.implementation[0], len(to.implementation), a.Implementation.String())
	put(&to.kind[0], len(to.kind), a.Class)
	put(&to.reason[0], len(to.reason), a.Reason)
	to.predicted_us = C.double(a.PredictedUS)
	to.low_us, to.high_us = C.double(orNaN(a.LowUS)), C.double(orNaN(a.HighUS))
	to.loss_bound = C.double(orNaN(a.LossBound))
	if a.SpeedupOverNaive != nil {
		to.speedup_over_naive = C.double(*a.SpeedupOverNaive)
	}
	to.floor_us = C.double(a.FloorUS)
	to.launch_blocks, to.launch_threads = C.uint64_t(a.Launch.Blocks), C.uint32_t(a.Launch.Threads)
	to.launch_unroll, to.shared_bytes = C.uint32_t(a.Launch.Unroll), C.uint64_t(a.Launch.SharedBytes)
	to.memory_bytes, to.sampled = C.uint64_t(a.MemoryBytes), C.uint64_t(a.Sampled)
	to.source = C.int32_t(a.Source)
}

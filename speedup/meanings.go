package speedup

import (
	"maps"
	"slices"
)

// meanings say what keeps the device busy under the name of a bound.
var meanings = map[string]string{
	"issue":    "the warp schedulers issue the instructions of all warps, one at a time each.",
	"memory":   "bytes are streamed, at the rate of L2 where they fit it, else at that of DRAM.",
	"l2-miss":  "targets that L2 does not hold come from DRAM, and their updates wait for them.",
	"request":  "each multiprocessor sends the sectors of its atomics to L2 one after the other.",
	"slice":    "a slice is a part of L2 with its own atomic unit; the fullest one works on all it gets.",
	"chunk":    "a chunk is 256 bytes of targets, all in one slice of L2, which gets most of the updates.",
	"address":  "updates of one target are made one after the other; the most frequent takes longest.",
	"answer":   "old values travel back from L2 to the lanes.",
	"swap":     "lanes that compare and swap on one target try again until each has succeeded once.",
	"port":     "a multiprocessor's shared memory serves one pass at a time, of one word in each bank.",
	"lock":     "updates of one copy of a target in shared memory wait for each other.",
	"exchange": "lanes of a warp exchange values (shuffles, votes, matches) before they add.",
	"latency":  "each warp waits for its loads and atomics, and too few others fill the time.",
	"scan":     "the coordinator reads through the requests of the other workgroups, again and again.",
	"launch":   "the device waits for kernels to start and end; the work itself takes less.",
	"relayout": "the host brings the updates into another order before the kernels run.",
	"unknown":  "without statistics nobody knows what binds.",
}

// Bindings lists by name what a Cost may be bound by. Beside the bounds of kernels there are launch;
// relayout, for the host; and unknown, for choices without statistics.
func Bindings() []string { return slices.Sorted(maps.Keys(meanings)) }

// Meaning says in a sentence what one of Bindings is, "" for any other name.
func Meaning(binding string) string { return meanings[binding] }

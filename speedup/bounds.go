package speedup

import "slices"

// bound numbers the parts of the device that a kernel can keep busy.
type bound uint8

const (
	boundIssue    bound = iota // warp instructions * issue_cycles / (schedulers * sms)
	boundMemory                // streamed bytes / memory rate
	boundMiss                  // see missUS
	boundRequest               // sector passes * sm_sector / sms
	boundSlice                 // passes * share of the fullest slice * pass + bytes / l2 rate
	boundChunk                 // passes * share of the slice with most busiest chunks * pass
	boundAddress               // adds in order at the sectors of one slice * same_address
	boundAnswer                // see answersUS
	boundSwap                  // see swaps and waitingSwaps
	boundPort                  // shared-memory passes * port / sms
	boundLock                  // adds to the busiest copy of a target * hold, but for overlap
	boundExchange              // shuffle, vote and match cycles / sms
	boundLatency               // turns per warp * dependent latency of an iteration
	boundScan                  // requests of the busiest wavefront * scans for each
	boundCount
)

// bounds are the times of a kernel's bounds in microseconds, 0 where it has none.
type bounds [boundCount]float64

// bindings are what a Cost may be bound by, and what keeps the device busy then. Behind the bounds of kernels stand
// those of calls that add rows; launch; relayout, for the host; and unknown, for choices without statistics.
var bindings = [...]struct{ name, meaning string }{
	boundIssue:    {"issue", "the warp schedulers issue the instructions of all warps, one at a time each."},
	boundMemory:   {"memory", "bytes are streamed, at the rate of L2 where they fit it, else at that of DRAM."},
	boundMiss:     {"l2-miss", "targets that L2 does not hold come from DRAM, and their updates wait for them."},
	boundRequest:  {"request", "each multiprocessor sends the sectors of its atomics to L2 one after the other."},
	boundSlice:    {"slice", "a slice is a part of L2 with its own atomic unit; the fullest one works on all it gets."},
	boundChunk:    {"chunk", "a chunk is 256 bytes of targets, all in one slice of L2, which gets most of the updates."},
	boundAddress:  {"address", "updates of one target are made one after the other; the most frequent takes longest."},
	boundAnswer:   {"answer", "old values travel back from L2 to the lanes."},
	boundSwap:     {"swap", "lanes that compare and swap on one target try again until each has succeeded once."},
	boundPort:     {"port", "a multiprocessor's shared memory serves one pass at a time, of one word in each bank."},
	boundLock:     {"lock", "updates of one copy of a target in shared memory wait for each other."},
	boundExchange: {"exchange", "lanes of a warp exchange values (shuffles, votes, matches) before they add."},
	boundLatency:  {"latency", "each warp waits for its loads and atomics, and too few others fill the time."},
	boundScan:     {"scan", "the coordinator reads through the requests of the other workgroups, again and again."},
	{"stream", "each value and index of rows is read once from memory."},
	{"misses", "targets of rows that L2 does not hold come from memory and go back."},
	{"requests", "each row that is added asks a slice of L2 for each of its 32-byte sectors."},
	{"row", "additions to the busiest row, or to 256 bytes of neighbouring ones, wait for each other."},
	{"sort", "the indices of rows and their places are sorted."},
	{"clear", "the targets of rows are set to zero."},
	{"launch", "the device waits for kernels to start and end; the work itself takes less."},
	{"relayout", "the host brings the updates into another order before the kernels run."},
	{"unknown", "without statistics nobody knows the bottleneck."},
}

// Bottlenecks lists their names in alphabetic order.
func Bottlenecks() (names []string) {
	for _, b := range bindings {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}

// Meaning says in a sentence what one of Bottlenecks is, "" for any other name.
func Meaning(bottleneck string) string {
	for _, b := range bindings {
		if b.name == bottleneck {
			return b.meaning
		}
	}
	return ""
}

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
	boundIssue:    {"issue", "each warp scheduler issues one instruction at a time."},
	boundMemory:   {"memory", "bytes are streamed at the bandwidth of L2, if they fit, or of DRAM."},
	boundMiss:     {"l2-miss", "targets that do not fit into L2 come from DRAM, and their updates wait."},
	boundRequest:  {"request", "each multiprocessor sends the sectors of its atomics to L2 one at a time."},
	boundSlice:    {"slice", "a slice is a part of L2 with its own atomic unit; the busiest slice sets the time."},
	boundChunk:    {"chunk", "a chunk is 256 bytes of targets in one slice of L2; the busiest chunk sets the time."},
	boundAddress:  {"address", "updates of one target are serialized; the most frequent target takes longest."},
	boundAnswer:   {"answer", "old values travel back from L2 to the lanes."},
	boundSwap:     {"swap", "lanes that compare and swap on one target retry until each has succeeded."},
	boundPort:     {"port", "each bank of shared memory serves one word at a time."},
	boundLock:     {"lock", "updates of the same copy in shared memory wait for each other."},
	boundExchange: {"exchange", "lanes of a warp exchange values (shuffles, votes, matches) before they add."},
	boundLatency:  {"latency", "each warp waits for its loads and atomics, and there are too few others to hide this."},
	boundScan:     {"scan", "the coordinator polls the requests of the other workgroups."},
	{"stream", "each value and index of rows is read once from memory."},
	{"misses", "rows that do not fit into L2 are read from memory and written back."},
	{"requests", "each added row needs a slice of L2 for each of its 32-byte sectors."},
	{"row", "additions to the busiest row, or to 256 bytes of neighbouring ones, wait for each other."},
	{"sort", "the indices of rows and their positions are sorted."},
	{"clear", "the targets of rows are set to zero."},
	{"launch", "the device waits for kernels to start and end; the work itself takes less."},
	{"relayout", "the host reorders the updates before the kernels run."},
	{"unknown", "without statistics the bottleneck is not known."},
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

package speedup

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
	boundLatency               // turns per warp * dependent latency of a turn
	boundScan                  // requests of the busiest wavefront * scans for each
	boundCount
)

// bounds are the times of a kernel's bounds in microseconds, 0 where it has none.
type bounds [boundCount]float64

var boundNames = [boundCount]string{"issue", "memory", "l2-miss", "request", "slice", "chunk",
	"address", "answer", "swap", "port", "lock", "exchange", "latency", "scan"}

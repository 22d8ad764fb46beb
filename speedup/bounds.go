package speedup

// bound numbers the parts of the device that a kernel can keep busy.
type bound uint8

const (
	boundIssue bound = iota
	boundMemory
	boundMiss
	boundRequest
	boundSlice
	boundChunk
	boundAddress
	boundSwap
	boundPort
	boundLock
	boundExchange
	boundLatency
	boundScan
	boundCount
)

// bounds are the times of a kernel's bounds in microseconds, 0 where it has none.
type bounds [boundCount]float64

// boundTexts names each bound and says what it is.
var boundTexts = [boundCount]struct{ name, formula string }{
	boundIssue:  {"issue", "warp instructions * issue_cycles / (schedulers * sms)"},
	boundMemory: {"memory", "streamed bytes / memory rate"},
	boundMiss: {"l2-miss", "busiest slice + its missing requests * " +
		"(wait for memory that no other request of the slice overlaps - pass)"},
	boundRequest: {"request", "sector passes * sm_sector / sms"},
	boundSlice: {"slice", "sector passes * share of the fullest slice * pass + " +
		"streamed bytes / l2 rate"},
	boundChunk: {"chunk", "sector passes * share of the slice with most of the " +
		"busiest chunks * pass"},
	boundAddress: {"address", "adds in order at the sectors of one slice * same_address"},
	boundSwap: {"swap", "updates of the most frequent target * " +
		"max(turn of the loop, swaps of waiting lanes)"},
	boundPort: {"port", "shared-memory passes * port / sms"},
	boundLock: {"lock", "adds to the busiest copy of a target * hold, " +
		"or the part of it that does not overlap"},
	boundExchange: {"exchange", "shuffle, vote and match cycles / sms"},
	boundLatency:  {"latency", "turns per warp * dependent latency of a turn"},
	boundScan: {"scan", "requests of the busiest wavefront * " +
		"(scan that serves one + scans until its next)"},
}

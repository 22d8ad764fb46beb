package speedup

// after is when a kernel ends that takes so long: it starts no earlier than the
// host has enqueued it as the call's launch of that number, counted from 0, and
// no earlier than Gap after the end of the one before.
//
//	max(First + number·Next, end + Gap) + us
//
// So short kernels hide behind the host's enqueueing, and long ones hide it.
func (r *rates) after(end, number, us float64) float64 {
	return larger(r.first+number*r.next, end+r.gap) + us
}

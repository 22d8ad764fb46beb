package casloop

import "fmt"

// Listing is one of the two loops of [streamhpc].
type Listing uint8

// The listings.
const (
	// First reads the target at the start of every iteration:
	//
	//	do {
	//		prev = *target; next = f(prev);
	//	} while (cmpxchg(target, prev, next) != prev);
	First Listing = iota + 1
	// Second reads it once and goes on from what the exchange returned:
	//
	//	current = *target;
	//	do {
	//		expected = current; next = f(expected);
	//		current = cmpxchg(target, expected, next);
	//	} while (current != expected);
	Second
)

// String returns "first" or "second".
func (l Listing) String() string {
	switch l {
	case First:
		return "first"
	case Second:
		return "second"
	}
	return fmt.Sprintf("Listing(%d)", uint8(l))
}

// stage is the memory access that a lane makes next.
type stage uint8

const (
	reads       stage = iota
	rereads           // for the comparison, where the compiler reads twice
	exchanges         // of expected against the new value
	stores            // the new value, where an exchange is two accesses
	hasFinished       // all its updates are made
)

// lane is a work-item in the loop.
type lane struct {
	group    int
	stage    stage
	expected uint64 // what the exchange compares
	base     uint64 // what the new value is computed from: expected, unless read twice
	operands []Operand
}

// step makes the lane's next memory access and returns what an exchange did.
func (l *lane) step(m *memory, o *Options, f Func) (x exchange) {
	switch l.stage {
	case reads:
		l.base = m.read(l.group)
		l.expected = l.base
		l.stage = exchanges
		if o.ReadTwice {
			l.stage = rereads
		}
	case rereads:
		l.expected = m.read(l.group)
		l.stage = exchanges
	case exchanges:
		if o.Split && m.value == l.expected {
			l.stage = stores
			return x
		}
		x = exchange{tried: true, operand: l.operands[0], next: f(l.base, l.operands[0])}
		x.old = m.exchange(l.expected, x.next)
		x.succeeded = x.old == l.expected
		l.afterExchange(o, x)
	case stores:
		x = exchange{tried: true, operand: l.operands[0], next: f(l.base, l.operands[0]),
			old: m.value, succeeded: true}
		m.value = x.next
		l.afterExchange(o, x)
	}
	return x
}

// afterExchange goes on to the next update, or turn.
func (l *lane) afterExchange(o *Options, x exchange) {
	switch {
	case x.succeeded:
		l.operands = l.operands[1:]
		l.stage = reads
		if len(l.operands) == 0 {
			l.stage = hasFinished
		}
	case o.Listing == First:
		l.stage = reads
	default:
		l.expected, l.base = x.old, x.old
	}
}

// maySucceed reports whether the lane can make its update while memory stays as
// it is: whether it holds memory's value or may still learn it.
func (l *lane) maySucceed(m *memory, o *Options) bool {
	switch {
	case l.stage == hasFinished:
		return false
	case o.Listing == Second || l.stage == stores:
		return true
	case l.stage == exchanges:
		return l.expected == m.value || m.mayRead(l.group)
	}
	return m.mayRead(l.group)
}

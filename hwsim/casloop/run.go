package casloop

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
)

// ErrOptions is wrapped where options describe no run.
var ErrOptions = errors.New("casloop: invalid options")

// Options says what to run.
type Options struct {
	Listing Listing
	Op      device.Op
	Type    device.Type // F32 or F64
	Initial uint64      // the target before, as bits

	Groups int // work-groups, each with a copy of the target
	Lanes  int // work-items of a group

	// Operands holds those of all updates; their number is a multiple of
	// Groups · Lanes, and each lane takes an equal share in a row.
	Operands []Operand

	// Refresh is the probability that an ordinary read finds its group's copy
	// gone and reads memory. At 0 a copy is kept to the kernel's end, which OpenCL
	// 1.2 allows; at 1 every read is of memory.
	Refresh float64

	// ReadTwice lets the compiler read the target once for the new value and again
	// for the comparison, as it may where the target is not volatile.
	ReadTwice bool

	// Split makes an exchange two accesses, a comparison and a store, between
	// which other lanes come: no atomic operation, as if the loop were written
	// with an if and an assignment.
	Split bool

	Seed  uint64 // of the order of accesses
	Limit int    // accesses after which the run is stopped; 0: none
}

// Result is what became of the updates.
type Result struct {
	Final       uint64    // the target after, as bits
	Made        []Operand // of the exchanges that succeeded, in their order
	Missing     int       // updates not made when the run ended
	Overwritten int       // exchanges that wrote a value not computed from the one they replaced
	Stuck       bool      // no lane could make its update any more, however long it tried
	Accesses    int       // reads and exchanges
	Exchanges   int
}

// Lost returns the number of updates that the target does not show.
func (r *Result) Lost() int { return r.Missing + r.Overwritten }

// exchange is what an exchange did, if one was tried.
type exchange struct {
	tried, succeeded bool
	old, next        uint64
	operand          Operand
}

// Validate returns an error that wraps ErrOptions or ErrOp if the options
// describe no run.
func (o *Options) Validate() error {
	if _, err := FuncOf(o.Op, o.Type); err != nil {
		return err
	}
	switch {
	case o.Listing != First && o.Listing != Second:
		return fmt.Errorf("%w: there is no %s", ErrOptions, o.Listing)
	case o.Groups < 1 || o.Lanes < 1:
		return fmt.Errorf("%w: %d groups of %d lanes", ErrOptions, o.Groups, o.Lanes)
	case len(o.Operands) == 0 || len(o.Operands)%(o.Groups*o.Lanes) != 0:
		return fmt.Errorf("%w: %d updates for %d groups of %d lanes", ErrOptions, len(o.Operands),
			o.Groups, o.Lanes)
	case !(o.Refresh >= 0 && o.Refresh <= 1):
		return fmt.Errorf("%w: refresh %g is not a probability", ErrOptions, o.Refresh)
	case o.Limit < 0:
		return fmt.Errorf("%w: limit of %d accesses", ErrOptions, o.Limit)
	}
	return nil
}

// Run executes the loop on all lanes: again and again one that has not finished,
// drawn at random, makes its next memory access. It ends when all have finished,
// when none can go on, or at the limit. Errors are those of Validate.
func Run(o Options) (Result, error) {
	if err := o.Validate(); err != nil {
		return Result{}, err
	}
	f, err := FuncOf(o.Op, o.Type)
	if err != nil {
		return Result{}, err
	}
	random := rand.New(rand.NewPCG(o.Seed, 0))
	m := &memory{value: o.Initial, copies: make([]groupCopy, o.Groups), refresh: o.Refresh,
		random: random}
	running := newLanes(&o)
	r := Result{Missing: len(o.Operands)}
	failures := 0 // in a row
	for len(running) > 0 && (o.Limit == 0 || r.Accesses < o.Limit) {
		k := random.IntN(len(running))
		x := running[k].step(m, &o, f)
		r.count(x, f)
		if running[k].stage == hasFinished {
			running[k] = running[len(running)-1]
			running = running[:len(running)-1]
		}
		if !x.tried {
			continue
		}
		failures++
		if x.succeeded {
			failures = 0
		}
		if failures >= len(running) && !anyMaySucceed(running, m, &o) {
			r.Stuck = len(running) > 0
			break
		}
	}
	r.Final = m.value
	return r, nil
}

func newLanes(o *Options) []*lane {
	count := o.Groups * o.Lanes
	each := len(o.Operands) / count
	lanes := make([]*lane, count)
	for k := range lanes {
		lanes[k] = &lane{group: k / o.Lanes, operands: o.Operands[k*each : (k+1)*each]}
	}
	return lanes
}

func anyMaySucceed(lanes []*lane, m *memory, o *Options) bool {
	for _, l := range lanes {
		if l.maySucceed(m, o) {
			return true
		}
	}
	return false
}

// count adds a step to the result.
func (r *Result) count(x exchange, f Func) {
	r.Accesses++
	if !x.tried {
		return
	}
	r.Exchanges++
	if !x.succeeded {
		return
	}
	r.Missing--
	r.Made = append(r.Made, x.operand)
	if x.next != f(x.old, x.operand) {
		r.Overwritten++
	}
}

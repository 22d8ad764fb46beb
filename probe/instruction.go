package probe

import "fmt"

var (
	instructionOperations = []string{"u32_add", "f32_add", "f64_add"}
	instructionSpaces     = []string{"shared", "global"}
)

// instructionJobs plans suite instruction: what compilers make of an addition of
// the constant 1 or of a value known at run time, with its result used or not, at
// an address known at compile time or at run time. All lanes of a warp add to one
// word, and go round eight words.
func instructionJobs(d Description, o Options) []Job {
	var jobs []Job
	for _, name := range []string{"chain", "throughput"} {
		for _, op := range instructionOperations {
			jobs = append(jobs, benchJob(d, o, "instruction", name+" "+op, func(b *bench) error {
				return b.instructions(name, op)
			}))
		}
	}
	return jobs
}

// addition is one way to write an addition.
type addition struct{ op, space, operand, result, address string }

func (a addition) kernel() string {
	return "instruction_" + a.op + "_" + a.space + "_" + a.operand + "_" + a.result + "_" + a.address
}

func (a addition) String() string {
	return fmt.Sprintf("op=%s space=%s operand=%s result=%s address=%s", a.op, a.space, a.operand, a.result, a.address)
}

func additionsAsWritten(op string) []addition {
	var all []addition
	for _, space := range instructionSpaces {
		for _, operand := range []string{"one", "runtime"} {
			for _, result := range []string{"used", "unused"} {
				for _, address := range []string{"static", "runtime"} {
					all = append(all, addition{op, space, operand, result, address})
				}
			}
		}
	}
	return all
}

func (b *bench) instructions(name, op string) error {
	offset, err := b.zeros(4 * warpLanes)
	if err != nil {
		return err
	}
	sink, err := b.alloc(uint64(b.sms()) * blockThreads * elementBytes(op))
	if err != nil {
		return err
	}
	if err := b.warmUp(); err != nil {
		return err
	}
	for _, a := range additionsAsWritten(op) {
		k, err := b.kernel("instruction", a.kernel())
		if err != nil {
			return err
		}
		args := func(steps, passes uint32, slot Memory) []any {
			return []any{offset, operand(op, 1), steps, passes, sink, slot}
		}
		measure := b.instructionChain
		if name == "throughput" {
			measure = b.sharedInstructions
			if a.space == "global" {
				measure = b.globalInstructions
			}
		}
		values, unit, err := measure(k, args)
		if err != nil {
			return err
		}
		b.note(name, a.String(), values, unit, k)
	}
	return nil
}

// instructionArgs are the arguments of a kernel of the suite.
type instructionArgs func(steps, passes uint32, slot Memory) []any

// instructionChain measures one warp: a chain where the result is used, else a
// stream of independent additions.
func (b *bench) instructionChain(k benchKernel, args instructionArgs) ([]float64, string, error) {
	const passes = 3
	cycles, err := b.chain(k, smallest, func(slot Memory) []any { return args(chainLength, passes, slot) })
	return cycles, unitCycle, err
}

// sharedInstructions measures 32 warps of one SM, in cycles of the SM for one
// warp's addition.
func (b *bench) sharedInstructions(k benchKernel, args instructionArgs) ([]float64, string, error) {
	const steps, passes = 64, 2
	l := Launch{Blocks: 1, Threads: blockThreads}
	cycles, err := b.busy(k, l, steps, func(steps uint32, slot Memory) []any { return args(steps, passes, slot) })
	return scaled(cycles, 1.0/(blockThreads/warpLanes)), unitCycle, err
}

// globalInstructions measures 32 warps of every SM, in nanoseconds of the device for
// one warp's addition.
func (b *bench) globalInstructions(k benchKernel, args instructionArgs) ([]float64, string, error) {
	const perTurn, passes = 8, 1
	all := b.sms() * blockThreads / warpLanes
	v, err := b.intervals(1, all)
	if err != nil {
		return nil, "", err
	}
	defer b.release(v.memory)
	l := Launch{Blocks: b.sms(), Threads: blockThreads}
	us, err := b.difference(k, perTurn, b.launch(k, l, func(_ int, steps uint32) []any { return args(steps, passes, v.slot(0)) }))
	return scaled(us, 1e3/float64(all)), unitNS, err
}

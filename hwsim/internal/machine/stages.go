package machine

import "github.com/atomtune/atomtune/device"

// stages holds the lengths of the stages through which a warp's operation on shared memory
// passes, in ticks. An operation of one stage is a read alone. A profile gives the latency of
// a whole operation and of each further turn of its loop; the latencies of a plain load and of
// an arithmetic instruction split them. What a further turn takes beyond a first one is the
// branch back; what a first one takes beyond a further one is the exit.
type stages struct {
	mechanism device.Mechanism
	read      int64 // from the first pass of the read to its data
	add       int64
	write     int64 // from the first pass of the write, or of the swap, to its answer
	branch    int64 // back to the next turn
	exit      int64 // after the last turn

	readPass, writePass int64 // each further pass adds to the latency
	readPort, writePort int64 // the port is busy per pass

	locks uint64 // 0: one for each word

	hidden, partial, half, paired int64 // as in device.WarpTiming
	park, merge, mergeSaved       int64

	split, ahead, aheadAgain, aheadLast int64
	step                                int64
	stepTurn                            int // the turn before which step is added
}

// newStages returns the stages of one way of working on elements of type t.
func newStages(d *device.Profile, a device.SharedAtomic, t device.Type) stages {
	s := stages{
		mechanism: a.Mechanism, locks: uint64(a.Locks.Value),
		readPass: ticks(a.Bank.Value), writePass: ticks(a.Write.Value),
		readPort: ticks(a.Port.Value), writePort: ticks(a.WritePort.Value),
	}
	if w := a.Warp; w != nil {
		s.partial, s.half = ticks(w.Partial.Value), ticks(w.Half.Value)
		s.paired, s.park = ticks(w.Paired.Value), ticks(w.Park.Value)
		s.merge, s.mergeSaved = ticks(w.Merge.Value), ticks(w.MergeSaved.Value)
		s.step, s.stepTurn = ticks(w.Step.Value), int(w.StepTurn.Value)
		if s.mechanism == device.CAS { // the rest is of loops in software
			s.hidden = ticks(w.Hidden.Value)
			s.split, s.ahead = ticks(w.Split.Value), ticks(w.Ahead.Value)
			s.aheadAgain, s.aheadLast = ticks(w.AheadAgain.Value), ticks(w.AheadLast.Value)
		}
	}
	s.divide(d, a, t)
	return s
}

// divide divides the latency of an operation and of a turn into stages.
func (s *stages) divide(d *device.Profile, a device.SharedAtomic, t device.Type) {
	load, alu := ticks(d.Shared.LoadLatency.Value), ticks(d.Core.ALULatency.Value)
	if plain, err := d.SharedOperation(device.OpLoad, t); err == nil { // measured for the type
		load = ticks(plain.Base.Value)
	}
	base, round := ticks(a.Base.Value), ticks(a.Round.Value)
	switch a.Mechanism {
	case device.Lock, device.Spin:
		turn := min(base, round)
		s.read = min(load, turn)
		s.add = min(alu, turn-s.read)
		s.write = turn - s.read - s.add
		s.branch, s.exit = round-turn, base-turn
	case device.CAS: // only the first turn reads
		s.locks = 0
		s.read = min(load, base)
		s.add = min(alu, base-s.read, round)
		s.write = min(base-s.read, round) - s.add
		s.branch = round - s.add - s.write
		s.exit = base - s.read - s.add - s.write
	case device.Native, device.Merge:
		s.read, s.readPass = base, round
	default:
		s.read = base
	}
}

// loops reports whether the warp goes round until all its lanes are served.
func (s *stages) loops() bool {
	return s.mechanism == device.Lock || s.mechanism == device.Spin || s.mechanism == device.CAS
}

package machine

import "github.com/atomtune/atomtune/device"

// stages holds the lengths of the stages through which a warp's operation on shared memory
// passes, in ticks. An operation of one stage is a read alone. A profile gives the latency of
// a whole operation and of each further iteration of its loop; the latencies of a plain load and of
// an arithmetic instruction split them. What a further iteration takes beyond a first one is the
// branch back; what a first one takes beyond a further one is the exit.
type stages struct {
	way    way
	read   int64 // from the first pass of the read to its data
	add    int64
	write  int64 // from the first pass of the write, or of the swap, to its answer
	branch int64 // back to the next iteration
	exit   int64 // after the last iteration

	readPass, writePass int64 // each further pass adds to the latency
	readPort, writePort int64 // the port is busy per pass

	locks uint64 // 0: one for each word

	warp device.WarpTiming // of loops in hardware without what is of software alone
}

// way is a device.Mechanism as a number, since each stage asks for it.
type way uint8

const (
	otherwise way = iota
	native
	locking // this way and the next ones go round
	spinning
	swapping
)

var wayOf = map[device.Mechanism]way{device.Native: native, device.Lock: locking, device.Spin: spinning,
	device.CAS: swapping}

func newStages(d *device.Profile, a device.SharedAtomic, t device.Type) stages {
	s := stages{
		way: wayOf[a.Mechanism], locks: uint64(a.Locks.Value),
		readPass: ticks(a.Bank), writePass: ticks(a.Write),
		readPort: ticks(a.Port), writePort: ticks(a.WritePort),
	}
	if a.Warp != nil {
		s.warp = *a.Warp
	}
	if none := (device.Quantity{}); s.way != swapping {
		s.warp.Hidden, s.warp.Split = none, none
		s.warp.Ahead, s.warp.AheadAgain, s.warp.AheadLast = none, none, none
	}
	s.divide(d, a, t)
	return s
}

// divide divides the latency of an operation and of a turn into stages.
func (s *stages) divide(d *device.Profile, a device.SharedAtomic, t device.Type) {
	load, alu := ticks(d.Shared.LoadLatency), ticks(d.Core.ALULatency)
	if plain, err := d.SharedOperation(device.OpLoad, t); err == nil { // measured for the type
		load = ticks(plain.Base)
	}
	base, round := ticks(a.Base), ticks(a.Round)
	switch a.Mechanism {
	case device.Lock, device.Spin:
		iteration := min(base, round)
		s.read = min(load, iteration)
		s.add = min(alu, iteration-s.read)
		s.write = iteration - s.read - s.add
		s.branch, s.exit = round-iteration, base-iteration
	case device.CAS: // only the first iteration reads
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

func (s *stages) loops() bool {
	return s.way >= locking
}

package apps

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// HashTable is the table in shared memory in which a block of the hashed kernel
// collects the sums of its tile of the stream.
type HashTable struct {
	Threads int // of a block: a multiple of the warp's lanes
	Items   int // updates of a thread; a tile has Threads·Items
	Slots   int // places for keys: a power of two
	Probes  int // neighbouring places that a key may take, the first one its hash
}

// DefaultHashTable has as many places as a tile has updates.
func DefaultHashTable() HashTable {
	return HashTable{Threads: 256, Items: 4, Slots: 1024, Probes: 8}
}

// validate reports a table that no block of the device can have.
func (t HashTable) validate(d *device.Profile, typ device.Type) error {
	lanes, most := int(d.Core.WarpLanes.Value), int(d.Core.MaxThreadsPerBlock.Value)
	switch {
	case t.Threads < lanes || t.Threads > most || t.Threads%lanes != 0:
		return fmt.Errorf("%w: a hash table of %d threads, want whole warps and at most %d",
			hwsim.ErrStream, t.Threads, most)
	case t.Items < 1 || t.Items > 64:
		return fmt.Errorf("%w: a hash table for %d updates of a thread, want 1 to 64", hwsim.ErrStream,
			t.Items)
	case t.Slots < 1 || t.Slots&(t.Slots-1) != 0 || t.Slots > 1<<20:
		return fmt.Errorf("%w: a hash table of %d places, want a power of two", hwsim.ErrStream, t.Slots)
	case t.Probes < 1 || t.Probes > t.Slots:
		return fmt.Errorf("%w: a hash table that tries %d of its %d places", hwsim.ErrStream, t.Probes,
			t.Slots)
	}
	if need, limit := t.sharedBytes(typ), uint64(d.Shared.BytesPerBlock.Value); need > limit {
		return fmt.Errorf("%w: a hash table of %d bytes, a block has %d", device.ErrCannot, need, limit)
	}
	return nil
}

// sharedBytes is one sum and one key of 4 bytes for each place.
func (t HashTable) sharedBytes(typ device.Type) uint64 {
	return uint64(t.Slots * (typ.Bytes() + 4))
}

// RunHashed simulates one call of the rival of [westphal15]: each block takes a
// tile of the stream and bins it in a hash table in shared memory, made on the
// fly. A thread claims the place of its key by compare-and-swap and adds its
// value there; a key that finds no place within Probes goes straight to global
// memory. At the end the block adds its sums to the global targets. The final
// array is checked as by Run; cfg.Variant must be the zero Variant. Errors are
// those of Run.
func RunHashed(cfg hwsim.Config, table HashTable, indices []uint32, bins uint64) (hwsim.Result,
	error) {
	if cfg.Variant != (variant.Variant{}) {
		return hwsim.Result{}, fmt.Errorf("%w: hashed binning is no form of %s", hwsim.ErrStream,
			cfg.Variant)
	}
	s, err := hashedSession(cfg, table, indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	if err := callHashed(s, table); err != nil {
		return hwsim.Result{}, err
	}
	m, us, final := s.Machine, s.Elapsed(), s.Output(kernel.BufTarget)
	return hwsim.Result{
		US: us, Cycles: uint64(us*cfg.Device.Core.Clock.Value + 0.5), Updates: s.Updates,
		Kernels:          s.Times,
		WarpInstructions: m.Instrs, Events: m.Events, Issued: m.Issued, Completed: m.Completed,
		Final: final, Correct: arith.Correct(cfg.Call, cfg.Seed, indices, bins, final),
	}, nil
}

// hashedSession lays out memory for a call that has been checked.
func hashedSession(cfg hwsim.Config, table HashTable, indices []uint32,
	bins uint64) (*kernel.Session, error) {
	if err := kernel.Check(cfg.Device, cfg.Call, cfg.Variant, indices, bins); err != nil {
		return nil, err
	}
	if cfg.Device.SharedAtomic(device.U32).Mechanism == device.Absent ||
		cfg.Device.SharedAtomic(cfg.Call.Type).Mechanism == device.Absent {
		return nil, fmt.Errorf("%w: hashed binning on %s: no shared-memory atomic for %s",
			device.ErrCannot, cfg.Device.Name, cfg.Call.Type)
	}
	if cfg.Call.Op != device.Add {
		return nil, fmt.Errorf("%w: hashed binning adds, and does not %s", device.ErrCannot, cfg.Call.Op)
	}
	if cfg.Call.Returns {
		return nil, fmt.Errorf("%w: hashed binning does not return the old values", device.ErrCannot)
	}
	if err := table.validate(cfg.Device, cfg.Call.Type); err != nil {
		return nil, err
	}
	s := kernel.NewSession(cfg.Device, cfg.Call, cfg.Variant, cfg.Seed)
	s.Place(indices, bins)
	s.SetValues(nil)
	return s, nil
}

// callHashed clears the targets and launches one block for each tile.
func callHashed(s *kernel.Session, table HashTable) error {
	if err := s.Begin(); err != nil {
		return err
	}
	d := s.Device
	tile := uint64(table.Threads * table.Items)
	shared := (table.sharedBytes(s.Call.Type) + 7) &^ 7
	warps := table.Threads / s.Machine.Lanes
	return s.Launch(machine.Kernel{
		Prog:   hashedKernel(s.Call, s.Machine.Lanes, table),
		Blocks: (s.Updates + tile - 1) / tile, Threads: table.Threads, SharedBytes: shared,
		BlocksPerSM: max(1, min(int(uint64(d.Shared.BytesPerSM.Value)/shared),
			int(d.Core.MaxWarps.Value)/warps, int(d.Core.MaxBlocks.Value))),
		Args: []uint64{s.Updates, s.Bins, s.Seed},
	})
}

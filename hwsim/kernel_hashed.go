package hwsim

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
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
func DefaultHashTable() HashTable { return HashTable{Threads: 256, Items: 4, Slots: 1024, Probes: 8} }

// validate reports a table that no block of the device can have.
func (t HashTable) validate(d *device.Profile, typ device.Type) error {
	lanes, most := int(d.Core.WarpLanes.Value), int(d.Core.MaxThreadsPerBlock.Value)
	switch {
	case t.Threads < lanes || t.Threads > most || t.Threads%lanes != 0:
		return fmt.Errorf("%w: a hash table of %d threads, want whole warps and at most %d", ErrStream, t.Threads, most)
	case t.Items < 1 || t.Items > 64:
		return fmt.Errorf("%w: a hash table for %d updates of a thread, want 1 to 64", ErrStream, t.Items)
	case t.Slots < 1 || t.Slots&(t.Slots-1) != 0 || t.Slots > 1<<20:
		return fmt.Errorf("%w: a hash table of %d places, want a power of two", ErrStream, t.Slots)
	case t.Probes < 1 || t.Probes > t.Slots:
		return fmt.Errorf("%w: a hash table that tries %d of its %d places", ErrStream, t.Probes, t.Slots)
	}
	if need, limit := t.sharedBytes(typ), uint64(d.Shared.BytesPerBlock.Value); need > limit {
		return fmt.Errorf("%w: a hash table of %d bytes, a block has %d", device.ErrCannot, need, limit)
	}
	return nil
}

// sharedBytes is one sum and one key of 4 bytes for each place.
func (t HashTable) sharedBytes(typ device.Type) uint64 { return uint64(t.Slots * (typ.Bytes() + 4)) }

// RunHashed simulates one call of the rival of [westphal15]: each block takes a
// tile of the stream and bins it in a hash table in shared memory, made on the
// fly. A thread claims the place of its key by compare-and-swap and adds its
// value there; a key that finds no place within Probes goes straight to global
// memory. At the end the block adds its sums to the global targets. The final
// array is checked as by Run; cfg.Variant must be the zero Variant. Errors are
// those of Run.
func RunHashed(cfg Config, table HashTable, indices []uint32, bins uint64) (Result, error) {
	if cfg.Variant != (variant.Variant{}) {
		return Result{}, fmt.Errorf("%w: hashed binning is no form of %s", ErrStream, cfg.Variant)
	}
	s, err := hashedSession(cfg, table, indices, bins)
	if err != nil {
		return Result{}, err
	}
	if err := callHashed(s, table); err != nil {
		return Result{}, err
	}
	m, us, final := s.machine, s.elapsed(), s.output(bufTarget)
	return Result{
		US: us, Cycles: uint64(us*cfg.Device.Core.Clock.Value + 0.5), Updates: s.updates, Kernels: s.times,
		WarpInstructions: m.instrs, Events: m.events, Issued: m.issued, Completed: m.completed,
		Final: final, Correct: correct(cfg.Call, cfg.Seed, indices, bins, final),
	}, nil
}

// hashedSession lays out memory for a call that has been checked.
func hashedSession(cfg Config, table HashTable, indices []uint32, bins uint64) (*session, error) {
	if err := check(cfg.Device, cfg.Call, cfg.Variant, indices, bins); err != nil {
		return nil, err
	}
	if cfg.Device.SharedAtomic(device.U32).Mechanism == device.Absent || cfg.Device.SharedAtomic(cfg.Call.Type).Mechanism == device.Absent {
		return nil, fmt.Errorf("%w: hashed binning on %s: no shared-memory atomic for %s", device.ErrCannot, cfg.Device.Name, cfg.Call.Type)
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
	s := newSession(cfg.Device, cfg.Call, cfg.Variant, cfg.Seed)
	s.place(indices, bins)
	s.setValues(nil)
	return s, nil
}

// callHashed clears the targets and launches one block for each tile.
func callHashed(s *session, table HashTable) error {
	if err := s.begin(); err != nil {
		return err
	}
	d := s.device
	tile := uint64(table.Threads * table.Items)
	shared := (table.sharedBytes(s.call.Type) + 7) &^ 7
	warps := table.Threads / s.machine.lanes
	return s.launch(kernel{
		prog:   hashedKernel(s.call, s.machine.lanes, table),
		blocks: (s.updates + tile - 1) / tile, threads: table.Threads, sharedBytes: shared,
		blocksPerSM: max(1, min(int(uint64(d.Shared.BytesPerSM.Value)/shared), int(d.Core.MaxWarps.Value)/warps, int(d.Core.MaxBlocks.Value))),
		args:        []uint64{s.updates, s.bins, s.seed},
	})
}

package apps

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// TestHashedFinalArray runs hashed binning over seeded streams, through tables
// of all sizes, one of which overflows nearly always.
func TestHashedFinalArray(t *testing.T) {
	tables := []HashTable{DefaultHashTable(), {64, 1, 1, 1}, {128, 3, 16, 2}, {256, 8, 2048, 64}}
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 11))
		bins := 1 + uint64(rng.IntN(1<<uint(rng.IntN(12))))
		indices := appKeys([]string{"equal", "clustered", "uniform", "uniform"}[rng.IntN(4)], 1+rng.IntN(900), bins)
		name := []string{"gtx680", "gtx980", "h200", "c2075"}[seed%4]
		call := device.Call{Type: device.Types()[seed/4%6], Operand: device.Operand(seed / 24 % 2)}
		r, err := RunHashed(hwsim.Config{Device: appProfile(t, name), Call: call, Seed: seed},
			tables[seed/8%4], indices, bins)
		if err != nil || !r.Correct {
			t.Fatalf("seed %d on %s, %s: %d updates of %d targets: correct %v, %v", seed, name, call.Type,
				len(indices), bins, r.Correct, err)
		}
	}
}

// globalAdds counts the lanes that add in global memory.
func globalAdds(t *testing.T, table HashTable, indices []uint32, bins uint64) int {
	t.Helper()
	d := appProfile(t, "gtx980")
	s, err := hashedSession(hwsim.Config{Device: d, Call: device.Call{Type: device.U32}}, table,
		indices, bins)
	if err != nil {
		t.Fatal(err)
	}
	p := hashedKernel(s.Call, s.Machine.Lanes, table)
	if err := s.Clear(kernel.BufTarget); err != nil {
		t.Fatal(err)
	}
	adds := 0
	shape := device.Shape{Blocks: 1, Threads: table.Threads, BlocksPerSM: 1,
		SharedBytes: table.sharedBytes(device.U32)}
	s.Machine.Watch = func(_ *machine.Warp, at int32, mask uint64, _ int64) {
		if p.Code[at].Op == machine.OpAtomic {
			adds += bits.OnesCount64(mask)
		}
	}
	if err := s.Launch(p, shape, s.Updates, s.Bins, 0); err != nil {
		t.Fatal(err)
	}
	return adds
}

// TestHashedCombines: a block adds once per key; what finds no place goes
// straight to global memory, update by update.
func TestHashedCombines(t *testing.T) {
	indices := make([]uint32, 1024)
	for i := range indices {
		indices[i] = uint32(i % 100)
	}
	if got := globalAdds(t, DefaultHashTable(), indices, 100); got != 100 {
		t.Errorf("%d adds of 100 keys", got)
	}
	// One place: its key is added once, at the end; the other 99 by themselves.
	one := HashTable{Threads: 256, Items: 4, Slots: 1, Probes: 1}
	kept := globalAdds(t, one, indices, 100)
	if rest := 1 + 1024 - 1024/100; kept != rest && kept != rest-1 {
		t.Errorf("%d adds through a table of one place, want %d", kept, rest)
	}
}

// TestHashedErrors names what is wrong.
func TestHashedErrors(t *testing.T) {
	d := appProfile(t, "gtx680")
	good := hwsim.Config{Device: d, Call: device.Call{Type: device.F64}}
	with := func(change func(*HashTable)) HashTable {
		table := DefaultHashTable()
		change(&table)
		return table
	}
	for _, c := range []struct {
		names string
		cfg   hwsim.Config
		table HashTable
		kind  error
	}{
		{"100", good, with(func(h *HashTable) { h.Threads = 100 }), hwsim.ErrStream},
		{"0", good, with(func(h *HashTable) { h.Items = 0 }), hwsim.ErrStream},
		{"1000", good, with(func(h *HashTable) { h.Slots = 1000 }), hwsim.ErrStream},
		{"9", good, with(func(h *HashTable) { h.Slots, h.Probes = 8, 9 }), hwsim.ErrStream},
		{"98304", good, with(func(h *HashTable) { h.Slots = 8192 }), device.ErrCannot},
		{"peers", hwsim.Config{Device: d, Implementation: impl.Spec{Reduction: impl.Peers}},
			DefaultHashTable(), hwsim.ErrStream},
		{"", hwsim.Config{Device: d, Call: device.Call{Returns: true}}, DefaultHashTable(),
			device.ErrCannot},
		{"mul", hwsim.Config{Device: d, Call: device.Call{Op: device.Mul}}, DefaultHashTable(),
			device.ErrCannot},
		{"device", hwsim.Config{}, DefaultHashTable(), hwsim.ErrStream},
	} {
		_, err := RunHashed(c.cfg, c.table, []uint32{0}, 1)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%+v: error %v, want %v with %q", c.table, err, c.kind, c.names)
		}
	}
	if _, err := RunHashed(good, DefaultHashTable(), []uint32{3}, 3); !errors.Is(err,
		hwsim.ErrStream) {
		t.Errorf("index 3 of 3 targets: %v", err)
	}
}

package apps

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// TestKept gathers words 4 KiB apart from an array of the size of L2, of which
// none, half or all is kept while the call's footprint exceeds L2.
func TestKept(t *testing.T) {
	var took [3]uint64
	for i := range took {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680")}, device.U32)
		n := s.Machine.L2Bytes / 4
		s.counters(n)
		gathered := s.Machine.Buffers[s.counters(n)]
		gathered.Kept = gathered.Bytes() * uint64(i) / 2
		b := machine.NewBuilder("gather", 0)
		at := b.Add(b.Tid(), b.Mul(machine.BlockID, imm(256)))
		b.Store(kernel.BufTarget, at, b.Load(1, b.And(b.Mul(at, imm(1031)), imm(n-1))))
		if s.runBlocks(b.Done(), n/256, 256, 0); s.Err != nil {
			t.Fatal(s.Err)
		}
		if s.Output(kernel.BufTarget)[n-1] != machine.Poison {
			t.Fatal("a kept array gave a wrong value")
		}
		took[i] = s.Times[0].Cycles
	}
	if took[1] > took[0]*3/4 || took[2] >= took[1] {
		t.Errorf("none, half and all of an array kept take %v cycles", took)
	}
}

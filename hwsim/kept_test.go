package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestKept gathers words 4 KiB apart from an array of the size of L2, of which
// none, half or all is kept while the call's footprint exceeds L2.
func TestKept(t *testing.T) {
	var took [3]uint64
	for i := range took {
		s := newAppSession(AppConfig{Device: appProfile(t, "gtx680")}, device.U32)
		n := s.machine.l2Bytes / 4
		s.counters("out", n)
		gathered := s.machine.buffers[s.counters("gathered", n)]
		gathered.kept = gathered.bytes() * uint64(i) / 2
		b := newBuilder("gather", 0)
		at := b.add(b.tid(), b.mul(scalarReg(scalarBlock), imm(256)))
		b.store(bufTarget, at, b.load(1, b.and(b.mul(at, imm(1031)), imm(n-1))))
		if err := s.runBlocks(b.done(), n/256, 256, 0); err != nil {
			t.Fatal(err)
		}
		if s.output(bufTarget)[n-1] != poison {
			t.Fatal("a kept array gave a wrong value")
		}
		took[i] = s.times[0].Cycles
	}
	if took[1] > took[0]*3/4 || took[2] >= took[1] {
		t.Errorf("none, half and all of an array kept take %v cycles", took)
	}
}

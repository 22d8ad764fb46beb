package kernel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// additionsKernel lets each warp add again and again at random targets, as the
// kernel does with which throughput was recorded: all lanes on one target, each on
// its own, or all on neighbouring words. Its argument is the number of additions.
func additionsKernel(spread string, targets, stride uint64, lanes int) *machine.Program {
	b := machine.NewBuilder("additions", 1)
	state := b.Add(b.Mul(machine.BlockID, machine.BlockWarps), machine.WarpID)
	lane := b.Lane()
	if spread == "lanes" {
		state = b.Add(b.Mul(state, imm(uint64(lanes))), lane)
	}
	state = b.Mul(state, imm(0x9E3779B97F4A7C15))
	value, left := b.Vec(), b.Uni()
	b.Mov(value, imm(0))
	b.Mov(left, imm(0))
	b.Loop(func() {
		b.LeaveUnless(b.Less(left, b.Arg(0)))
		b.To(state, machine.OpMul, state, imm(6364136223846793005))
		b.To(state, machine.OpAdd, state, imm(1442695040888963407))
		at := b.Vec()
		b.Mov(at, b.Mul(b.And(b.Shr(state, imm(33)), imm(targets-1)), imm(stride)))
		if spread == "line" {
			b.To(at, machine.OpAdd, at, lane)
		}
		b.Atomic(BufTarget, false, at, value)
		b.Inc(left, imm(1))
	})
	return b.Done()
}

// additionsNS returns the nanoseconds per addition of a warp when all SMs are
// busy: what twice as many additions take longer.
func additionsNS(t *testing.T, d *device.Profile, typ device.Type, spread string, targets,
	stride uint64) float64 {
	t.Helper()
	const more, threads = 4, 1024
	words := stride / uint64(typ.Bytes())
	s := NewSession(d, device.Call{Type: typ}, impl.Spec{}, 0)
	s.Place(nil, targets*words+64)
	s.Machine.Buffers[BufTarget].Base = 0 // the recorded kernel had an allocation of its own
	var cycles [2]uint64
	for i := range cycles {
		shape := device.Shape{Blocks: uint64(s.Machine.SMs), Threads: threads, BlocksPerSM: 1}
		if err := s.Launch(additionsKernel(spread, targets, words, s.Machine.Lanes), shape,
			uint64(more*(i+1))); err != nil {
			t.Fatal(err)
		}
		cycles[i] = s.Times[i].Cycles
	}
	return float64(cycles[1]-cycles[0]) / d.Core.Clock.Value * 1e3 / float64(
		more*s.Machine.SMs*threads/s.Machine.Lanes)
}

// TestRecordedThroughput compares additions by all SMs with the readings of an
// H200 to which nothing was fitted, over targets from two words to 2 MiB. Some are
// simulated, more with ATOMTUNE_FULL=1.
func TestRecordedThroughput(t *testing.T) {
	readings, err := h200.Archive.Readings()
	if err != nil {
		t.Fatal(err)
	}
	d := kernelProfile(t, "h200")
	every := 27
	if golden.Full() {
		every = 3
	}
	var off []float64
	n := 0
	for _, r := range readings {
		if r.Suite != "global" || r.Name != "throughput" || strings.HasPrefix(r.Parameters, "op=u64") {
			continue
		}
		var op, spread string
		var targets, stride, sms uint64
		text := strings.NewReplacer("op=", "", "spread=", "", "targets=", "", "stride=", "", "sms=",
			"").Replace(r.Parameters)
		if got, err := fmt.Sscanf(text, "%s %s %d %d %d", &op, &spread, &targets, &stride,
			&sms); got != 5 || err != nil {
			t.Fatalf("%q: %v", r.Parameters, err)
		}
		if float64(sms) != d.Core.SMs.Value || stride > 256 || targets*stride > 2<<20 {
			continue
		}
		if targets == 1 || spread == "warp" && (op == "u32_add" || stride == 32 && targets <= 8) {
			continue // constants and hash were found on these
		}
		if n++; n%every != 0 {
			continue
		}
		typ, err := device.ParseType(strings.TrimSuffix(op, "_add"))
		if err != nil {
			t.Fatal(err)
		}
		got := additionsNS(t, d, typ, spread, targets, stride)
		off = append(off, math.Abs(math.Log(got/r.Value)))
		if off[len(off)-1] > math.Log(2.2) {
			t.Errorf("%s: %.3g ns simulated, %.3g ns recorded", r.Parameters, got, r.Value)
		}
	}
	if len(off) < 300/every {
		t.Fatalf("only %d readings", len(off))
	}
	slices.Sort(off)
	median, p90 := off[len(off)/2], off[len(off)*9/10]
	if math.Exp(median) > 1.1 || math.Exp(p90) > 1.45 {
		t.Errorf("simulated and recorded throughput disagree by a factor %.3f in the median, %.3f at "+
			"the 90th percentile", math.Exp(median), math.Exp(p90))
	}
}

func kernelProfile(t testing.TB, name string) *device.Profile {
	t.Helper()
	p, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

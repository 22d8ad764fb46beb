package speedup

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
)

// facts are measured on one NVIDIA H200 (driver 580.159.04, CUDA 13.0): 2^24
// updates of K targets drawn uniformly, naive, milliseconds with launch and
// clearing. The targets began with a region, not where the profile assumes that small
// arrays begin.
var facts = []struct {
	bins     uint32
	u32, f32 float64
}{
	{1, 12.3, 29.5}, {2, 7.1, 16.8}, {4, 4.3, 10.2}, {16, 3.1, 4.3}, {64, 4.9, 4.9},
	{256, 4.4, 4.4}, {1024, 1.45, 1.45}, {4096, 0.50, 0.51}, {65536, 0.22, 0.21}, {4194304, 0.19, 0.19},
}

// factsWithin is the factor within which every prediction meets its fact.
const factsWithin = 1.25

func TestFacts(t *testing.T) {
	own := *builtin(t, "h200")
	hash := *own.Global.Hash
	h200 := &own
	hash.SmallBase, h200.Global.Hash = 0, &hash
	checked := 0
	for _, f := range facts {
		s, err := collision.Analyze(uniform(1<<18, f.bins, 7), collision.Options{Bins: uint64(f.bins)})
		if err != nil {
			t.Fatal(err)
		}
		s = scale(s, 64)
		s.HotWarps, s.HotSegments = 0, 0 // not of a stream that is 64 times as long
		for typ, want := range map[device.Type]float64{device.U32: f.u32, device.F32: f.f32} {
			got, _ := priced(t, "naive", &s, h200, device.Call{Type: typ})
			ratio := got.US / 1e3 / want
			t.Logf("K=%-8d %s  predicted %7.3f ms, measured %7.3f ms, ratio %.2f, %s",
				f.bins, typ, got.US/1e3, want, ratio, got.Bottleneck)
			if ratio > factsWithin || ratio < 1/factsWithin {
				t.Errorf("K=%d %s: ratio %.2f", f.bins, typ, ratio)
			}
			checked++
		}
	}
	if checked != 2*len(facts) {
		t.Errorf("checked %d predictions, want %d", checked, 2*len(facts))
	}
}

// TestAnswerReadings: old values take what was read of all SMs, beside what is streamed, where each
// lane has a sector of its own and where a warp is on all words of one. They take nothing where
// they are not asked for, or their way is not known.
func TestAnswerReadings(t *testing.T) {
	apart := measure(uniform(1<<17, 1<<21, 7), 1<<21, 32)
	for _, a := range []*archive.Archive{h200.Archive, h100.Archive} {
		d := builtin(t, a.Name())
		readings, err := a.Readings()
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, r := range readings {
			name, rest, _ := strings.Cut(strings.TrimPrefix(r.Parameters, "op="), "_add ")
			together := rest == "result=used spread=apart sectors=1 warps=32 sms=132"
			if r.Suite != "returns" ||
				!together && rest != "result=used spread=apart sectors=32 warps=32 sms=132" {
				continue
			}
			found++
			typ, err := device.ParseType(name)
			if err != nil {
				t.Fatal(err)
			}
			s := &apart
			if together {
				one := measure(sectorOfWarp(1<<17, 32/typ.Bytes()), 1<<21, 32)
				s = &one
			}
			c := device.Call{Type: typ, Returns: true}
			_, of := priced(t, "naive", s, d, c)
			answer := of["update answer"] - of["update memory"]
			if ns := answer * 1e3 / float64(s.Updates/32); math.Abs(ns/r.Value-1) > 0.04 {
				t.Errorf("%s %s: %.4f ns a warp, read %.4f", a.Name(), r.Parameters, ns, r.Value)
			}
			free := *d
			free.Global.Answers = nil
			_, unknown := priced(t, "naive", s, &free, c)
			c.Returns = false
			if _, of := priced(t, "naive", s, d, c); of["update answer"] != 0 || unknown["update answer"] != 0 {
				t.Errorf("%s %s: %v us of old values that nobody wants, %v of such whose way is not known", a.Name(), typ,
					of["update answer"], unknown["update answer"])
			}
		}
		if found != 8 {
			t.Errorf("%s: %d readings", a.Name(), found)
		}
	}
}

// sectorOfWarp is a stream in which each warp's lanes go round the words of one sector.
func sectorOfWarp(n, words int) []uint32 {
	indices := make([]uint32, n)
	for i, sector := range uniform(n/32, uint32(1<<21/words), 7) {
		for lane := range 32 {
			indices[32*i+lane] = sector*uint32(words) + uint32(lane%words)
		}
	}
	return indices
}

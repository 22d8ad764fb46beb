package speedup

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
)

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

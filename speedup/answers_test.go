package speedup

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
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

// answerLimits are how far the median of predicted over measured may lie apart with old values and
// without, on either part of either GPU. match and peers spend more instructions on old values than
// their recipes count.
var answerLimits = []struct {
	name  string
	limit float64
}{{"naive", 1.035}, {"sr", 1.04}, {"vr", 1.035}, {"match", 1.045}, {"peers", 1.065}}

// TestAnswerCalls: recorded calls are predicted as well with old values as without, which they are
// not if these cost nothing on their way.
func TestAnswerCalls(t *testing.T) {
	for _, a := range []*archive.Archive{h200.Archive, h100.Archive} {
		streams, err := a.Streams()
		if err != nil {
			t.Fatal(err)
		}
		free := *builtin(t, a.Name())
		free.Global.Answers = nil
		for _, part := range parts {
			// only those without copies can return old values
			calls := slices.DeleteFunc(slices.Clone(archivedCalls(t, a, part)), func(c recordings.Call) bool {
				return c.Implementation.Base != variant.Global || c.Fixed
			})
			for _, l := range answerLimits {
				for _, typ := range []device.Type{device.U32, device.F32, device.F64} {
					apart := func(d *device.Profile) float64 {
						return math.Abs(math.Log(medianOf(t, calls, streams, l.name, d, typ, true) /
							medianOf(t, calls, streams, l.name, d, typ, false)))
					}
					got, without := apart(builtin(t, a.Name())), apart(&free)
					if got > math.Log(l.limit) {
						t.Errorf("%s %s, %s, %s: medians %.3f apart", a.Name(), part, l.name, typ, math.Exp(got))
					}
					if l.name == "naive" && a.Name() == "h200" && without < math.Log(l.limit) {
						t.Errorf("%s %s, %s: medians only %.3f apart without answers", part, l.name, typ,
							math.Exp(without))
					}
				}
			}
		}
	}
}

// medianOf is the median of predicted over measured of the calls of an implementation with loaded
// values, with old values or without.
func medianOf(t *testing.T, calls []recordings.Call, streams map[string]collision.Stats,
	name string, d *device.Profile, typ device.Type, returns bool) float64 {
	t.Helper()
	v, err := variant.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	c := device.Call{Type: typ, Returns: returns}
	m, err := Compile(v, d, c)
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for _, r := range calls {
		s := streams[r.Label]
		if r.Implementation == v && r.Call == c && m.Check(&s) == nil {
			ratios = append(ratios, m.US(&s)/r.MedianUS)
		}
	}
	if len(ratios) < 200 {
		t.Fatalf("%s %+v: %d calls", name, c, len(ratios))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

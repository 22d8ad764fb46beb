package guarantee

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/variant"
)

func builtinDevice(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGuarantees searches the worst cases and holds them to the limit, where it is
// promised, and to break it where not. By default the search is shorter, the H200 has one
// warp per SM, and of full devices the one that comes close to the limit is searched;
// ATOMTUNE_FULL=1 searches as the command does.
func TestGuarantees(t *testing.T) {
	searched, search := loads[2:4], Search{Seed: 1, Random: 1, Climb: 2}
	if golden.Full() {
		searched, search = loads, Search{Seed: 1, Random: 6, Climb: 10}
	}
	for _, l := range searched {
		rows, err := guarantees(t.Context(), []load{l}, search)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rows {
			t.Logf("%s %.3f %s: %s", c.Status, c.Value, c.Unit, c.Item)
			if fault := c.Failure(); fault != "" {
				t.Error(fault)
			}
			if c.Rows < 30+search.Random+search.Climb {
				t.Errorf("%s: %d streams", c.Item, c.Rows)
			}
		}
		want := 2
		if l.reason != "" {
			want += 2 // a bound beside each gap
		}
		if len(rows) != want {
			t.Errorf("%+v: %d rows", l, len(rows))
		}
	}
}

// TestAdversaryDiscriminates: on a device with few warps the adversary finds what a reduction
// costs, and nothing where the threshold keeps vr from reducing; and it finds the
// same again.
func TestAdversaryDiscriminates(t *testing.T) {
	d := builtinDevice(t, "gtx680")
	o := Search{Seed: 3, WarpsPerSM: 8, Random: 2, Climb: 4}
	own, err := WorstCase(d, OwnThresholds(d)[1], o)
	if err != nil {
		t.Fatal(err)
	}
	never, err := WorstCase(d, variant.Variant{Reduction: variant.VR, Threshold: variant.MaxThreshold},
		o)
	if err != nil {
		t.Fatal(err)
	}
	if own.OverGuarantee < 1.1 || never.OverGuarantee > 1.02 || own.Pattern == "" ||
		min(own.Streams, never.Streams) < 20 {
		t.Errorf("its own threshold: %+v\nnever reducing: %+v", own, never)
	}
	if own.VoteCycles < 20 || own.OverNaive < own.OverGuarantee {
		t.Errorf("%+v", own)
	}
	again, err := WorstCase(d, OwnThresholds(d)[1], o)
	if err != nil || own != again {
		t.Errorf("%+v, and again %+v, %v", own, again, err)
	}
}

// TestAdversaryStreams checks what the patterns promise: as many targets as keys,
// of each warp or of all, and a sampled lane alone on its target.
func TestAdversaryStreams(t *testing.T) {
	const warps, seed = 9, 5
	checked := 0
	for _, p := range Adversaries(32, 19) {
		indices, bins := p.stream(warps, seed)
		if len(indices) != warps*32 {
			t.Fatalf("%s: %d updates", p, len(indices))
		}
		keys := map[int]bool{}
		for _, k := range p.Keys {
			keys[k] = true
		}
		targets := map[uint32]int{}
		for _, x := range indices {
			if uint64(x) >= bins {
				t.Fatalf("%s: target %d of %d", p, x, bins)
			}
			targets[x]++
		}
		switch {
		case p.Dodge:
			for w := range warps {
				if lane := hwsim.SampledLane(seed, uint64(w), 1, 32); targets[indices[w*32+lane]] != 1 {
					t.Errorf("%s: the sampled lane of warp %d is not alone", p, w)
				}
			}
		case p.Shared && len(targets) != len(keys), !p.Shared && len(targets) != warps*len(keys):
			t.Errorf("%s: %d targets of %d keys", p, len(targets), len(keys))
		}
		checked++
	}
	if checked < 30 {
		t.Errorf("%d patterns", checked)
	}
}

// TestGuaranteeErrors: what cannot run says so.
func TestGuaranteeErrors(t *testing.T) {
	match := variant.Variant{Reduction: variant.Match}
	_, err := WorstCase(builtinDevice(t, "c2075"), match, Search{WarpsPerSM: 1})
	if err == nil || !strings.Contains(err.Error(), "match") {
		t.Error(err)
	}
}

package guarantee

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/inspect"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate/recorded"
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

// TestThresholds: what is said of the devices' own thresholds holds. By default of one device, over
// fewer and shorter streams.
func TestThresholds(t *testing.T) {
	rows, err := drawn{streams: 6, updates: 1 << 14}.thresholds(t.Context(), "h200")
	if golden.Full() {
		rows, err = Thresholds(t.Context(), 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	questions, err := recorded.OfPart(h200.Archive, recordings.Fit)
	if err != nil {
		t.Fatal(err)
	}
	votes := recordedVotes("h200", questions)
	for _, c := range append(rows, votes...) {
		t.Logf("%s %.4f %s: %s", c.Status, c.Value, c.Unit, c.Item)
		if fault := c.Failure(); fault != "" {
			t.Error(fault)
		}
	}
	if len(votes) != 2 || len(rows) == 0 {
		t.Errorf("%d rows simulated, %d recorded", len(rows), len(votes))
	}
	if c := recordedVotes("nothing", nil); c[0].Failure() == "" || c[1].Failure() == "" {
		t.Errorf("of no call: %+v", c)
	}
}

// TestAlone: take away the other warps, and what is wrong with the inequalities goes too. Of a warp alone
// on its SM with targets of its own, two lanes on one are too few, as (1) says, and with steps counted
// in atomics so are all of a warp.
func TestAlone(t *testing.T) {
	for _, name := range []string{"c2075", "gtx680", "h200"} {
		d := builtinDevice(t, name)
		lanes := int(d.Core.WarpLanes.Value)
		for hot, other := range map[int]impl.Spec{2: OwnThresholds(d)[0], lanes: {}} {
			p := Adversary{Keys: make([]int, lanes)}
			for l := hot; l < lanes; l++ {
				p.Keys[l] = l
			}
			took := func(v impl.Spec) float64 {
				_, own, err := Search{Seed: 1, WarpsPerSM: 1}.cycles(d, v, p)
				if err != nil {
					t.Fatal(err)
				}
				return own
			}
			if ratio := took(other) / took(impl.Spec{Reduction: impl.SR}); ratio > 0.96 {
				t.Errorf("%s, %d lanes on one target: %s takes %.3f times as long as sr", name, hot, other, ratio)
			}
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
	never, err := WorstCase(d, impl.Spec{Reduction: impl.VR, Threshold: impl.MaxThreshold},
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
				if lane := inspect.SampledLane(seed, uint64(w), 1, 32); targets[indices[w*32+lane]] != 1 {
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
	match := impl.Spec{Reduction: impl.Match}
	_, err := WorstCase(builtinDevice(t, "c2075"), match, Search{WarpsPerSM: 1})
	if err == nil || !strings.Contains(err.Error(), "match") {
		t.Error(err)
	}
}

package h200

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
)

// TestSecond: the second validation set is what was recorded, complete and correct, on streams that
// the others have not, with the statistics that its shorter streams have.
func TestSecond(t *testing.T) {
	for name, want := range map[string]string{
		recordings.CallsFile:   "92f06c6529f84c21acb1dd12a2c9dc4ad4e255afac7c7665216dfc7112e8da7a",
		recordings.StreamsFile: "6c7504ffecf5e03284595c036598a4871e789decbdeba02cd69bc721599ca5cf",
	} {
		data, err := Second.file(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("second/%s: SHA-256 %x", name, sum)
		}
	}
	calls, err := Second.Calls()
	if err != nil {
		t.Fatal(err)
	}
	streams, err := Second.Streams()
	if err != nil {
		t.Fatal(err)
	}
	known, err := Streams()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[device.Call]int{}
	for _, c := range calls {
		s, ok := streams[c.Label]
		if _, old := known[c.Label]; !ok || old || s.Updates != c.Updates || s.Bins != c.Bins {
			t.Fatalf("%s: statistics %v, among the other recordings %v", c.Label, ok, old)
		}
		if !c.Correct || c.Origin != recordings.Measured || c.Repeats < 3 {
			t.Errorf("%s %s: correct %v, %s, %d repeats", c.Label, c.Implementation, c.Correct,
				c.Origin, c.Repeats)
		}
		kinds[c.Call]++
	}
	if len(streams) != 120 || len(calls) != 8626 || len(kinds) != 7 {
		t.Errorf("%d calls of kinds %v on %d streams", len(calls), kinds, len(streams))
	}
	some := few(2, streams, func(label string) bool { return streams[label].Updates <= 600_000 })
	for _, label := range some {
		want := streams[label]
		spec, err := synth.Parse(label)
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		got, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K)})
		if err != nil {
			t.Fatal(err)
		}
		if got = asRecorded(got, want); got != want {
			t.Errorf("%s: %+v, want %+v", label, got, want)
		}
	}
	if len(some) < 15 {
		t.Errorf("only %d streams were compared", len(some))
	}
}

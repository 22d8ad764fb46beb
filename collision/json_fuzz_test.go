package collision

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// FuzzStatsJSON: statistics that are read are written, and read as the same.
func FuzzStatsJSON(f *testing.F) {
	a, err := NewAccumulator(Options{WarpSize: 2, BlockSize: 4})
	if err != nil {
		f.Fatal(err)
	}
	if err := a.Add([]uint32{1, 1, 2, 3, 3, 3}); err != nil {
		f.Fatal(err)
	}
	s, err := a.Stats()
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"cover":[1,2],"misses":[{},{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Stats
		var err error
		allocation.Bound(t, len(data), func() {
			s = Stats{}
			err = strictjson.Decode(data, &s)
		})
		if err != nil {
			return
		}
		once, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var again Stats
		if err := strictjson.Decode(once, &again); err != nil {
			t.Fatalf("%v: %s", err, once)
		}
		if twice, err := json.Marshal(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%v:\n%s\n%s", err, once, twice)
		}
	})
}

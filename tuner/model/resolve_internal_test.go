package model

import (
	"bytes"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/gzipped"
)

// TestOtherFeatures: an embedded model of other features is left out, and the caveat says why;
// one that is damaged otherwise is an error.
func TestOtherFeatures(t *testing.T) {
	packed, err := embedded.ReadFile("embedded/gtx680.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := gzipped.Unpack(packed, MostBytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, from, to string
		damaged        bool
	}{
		{"renamed", "bank_lanes", "bank_crowd", false},
		{"in a tree", `"features":["log2_updates"`, `"features":["log2_lines"`, false},
		{"damaged", `"rows":`, `"rows":1`, true},
	} {
		decoded.Store(c.name, func() (*Model, error) {
			return Decode(bytes.ReplaceAll(data, []byte(c.from), []byte(c.to)))
		})
		m, caveat, err := For(&device.Profile{Name: c.name}, device.Call{}, nil)
		if m != nil || (err != nil) != c.damaged || (caveat == "") != c.damaged {
			t.Errorf("%s: model %v, caveat %q, error %v", c.name, m != nil, caveat, err)
		}
	}
}

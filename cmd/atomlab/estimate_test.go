package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// exampleFigures are of a GPU without a built-in profile; one of its documents is the file's own, the
// other of those that are there.
const exampleFigures = `{
  "documents": {"card": "the back of the box"},
  "groups": {},
  "devices": [{
    "name": "rtx3070", "title": "NVIDIA GeForce RTX 3070", "vendor": "NVIDIA",
    "architecture": "Ampere", "groups": ["NVIDIA", "sm_86"],
    "facts": {
      "core.sms": {"value": 82, "document": "card", "where": "front", "rationale": "SMs"},
      "core.clock": {"value": 1695, "document": "card", "where": "front", "rationale": "boost"},
      "memory.l2_bytes": {"value": 6291456, "document": "guide", "where": "a page", "rationale": "L2"}
    },
    "dram_bytes_per_second": {"value": 936e9, "document": "card", "where": "front", "rationale": "bus"}
  }]
}`

// TestEstimate: without a name the command makes the built-in estimates; with figures of its own the
// profile of another GPU, which loads; and nothing where something is wrong.
func TestEstimate(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "mine.json", exampleFigures)
	var doc struct {
		Profiles []estimatedProfile `json:"profiles"`
	}
	decode(t, done(t, "estimate", "--json", "--out", "all"), &doc)
	for _, p := range doc.Profiles {
		made, err := device.Load("./" + p.File)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := device.Builtin(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		a, _ := made.Encode()
		if b, _ := kept.Encode(); string(a) != string(b) || p.Documents < 10 || p.Estimated < 100 {
			t.Errorf("%+v is not the built-in profile", p)
		}
	}
	for _, name := range device.Names() {
		p, err := device.Builtin(name)
		made := slices.ContainsFunc(doc.Profiles, func(p estimatedProfile) bool { return p.Name == name })
		if err != nil || made != (p.Estimate != nil) {
			t.Errorf("%s made: %t, %v", name, made, err)
		}
	}
	text := done(t, "estimate", "--out", ".", "--figures", "mine.json", "rtx3070")
	p, err := device.Load("./rtx3070.json")
	if err != nil || !strings.Contains(text, "rtx3070.json: ") || !strings.Contains(text, "h100") {
		t.Fatalf("%v: %s", err, text)
	}
	if p.Core.SMs.Value != 82 || p.Core.SMs.Source != "the back of the box, front" ||
		p.Core.MaxWarps.Value != 48 || p.Estimate.Base != "h100" {
		t.Errorf("%+v, %+v", p.Core, p.Estimate)
	}
	done(t, "estimate", "--out", ".", "--base", "gtx980", "h100")
	if p, err := device.Load("./h100.json"); err != nil || p.Estimate.Base != "gtx980" {
		t.Errorf("%v", err)
	}
	write(t, "bad.json", strings.Replace(exampleFigures, "core.sms", "core.smz", 1))
	failed(t, exitFailed, "estimate --out no --figures bad.json rtx3070", "core.sms is missing")
}

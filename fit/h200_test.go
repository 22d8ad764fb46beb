package fit

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// TestH200Profile: the profile of the H200 is, to the byte, what a fit of the
// recordings gives. A short test fits no patterns, and compares what they have no
// part in.
func TestH200Profile(t *testing.T) {
	in := Input{}
	data, err := h200.File(recordings.ReadingsFile)
	if err != nil {
		t.Fatal(err)
	}
	if in.Provenance, in.Readings, err = recordings.DecodeReadings(recordings.ReadingsFile, data); err != nil {
		t.Fatal(err)
	}
	if in.Scratchpad, in.Instructions, err = columns(t); err != nil {
		t.Fatal(err)
	}
	profile, least := Profile, 100
	if testing.Short() {
		profile, least = assembled, 50
	}
	p, report, err := profile(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Quantities) < least || len(report.Warnings) > 0 {
		t.Errorf("%d quantities, warnings %q", len(report.Quantities), report.Warnings)
	}
	if testing.Short() {
		held, err := device.Builtin("h200")
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range []struct{ held, fitted any }{{held.Core, p.Core}, {held.Exchange, p.Exchange}, {held.Global, p.Global},
			{held.Memory, p.Memory}, {held.Launch, p.Launch}, {held.Host, p.Host}, {held.GlobalAtomics, p.GlobalAtomics}, {held.Types, p.Types}} {
			if diff := cmp.Diff(group.held, group.fitted); diff != "" {
				t.Errorf("(-profile +fitted):\n%s", diff)
			}
		}
		return
	}
	fitted, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.ReadFile("../device/profiles/h200.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fitted, held) {
		t.Errorf("atomtune fit datasets/h200/*.csv gives another profile (-device/profiles/h200.json +fitted):\n%s",
			cmp.Diff(strings.Split(string(held), "\n"), strings.Split(string(fitted), "\n")))
	}
}

// columns reads the patterns with what their kernels do.
func columns(t *testing.T) (*patterns.Measurements, map[string]string, error) {
	t.Helper()
	data, err := h200.File(recordings.ScratchpadFile)
	if err != nil {
		return nil, nil, err
	}
	m, err := patterns.ReadMeasurements(bytes.NewReader(data), recordings.ScratchpadFile, patterns.Words)
	if err != nil {
		return nil, nil, err
	}
	instructions, err := recordings.ColumnInstructions(recordings.ScratchpadFile, m)
	return m, instructions, err
}

// TestUses: every column that is measured of an operation is one that a type uses, and every
// column says an instruction that its kernel has.
func TestUses(t *testing.T) {
	m, instructions, err := columns(t)
	if err != nil {
		t.Fatal(err)
	}
	used, uses := map[string]bool{}, 0
	for _, kind := range device.Types() {
		for _, o := range device.Operations() {
			if _, err := m.Column(column(kind, o)); err == nil {
				used[column(kind, o)] = true
				uses++
			}
		}
	}
	if uses != 33 {
		t.Errorf("the types use columns %d times, of %v", uses, used)
	}
	for _, c := range m.Columns {
		if _, _, known := ParseColumn(c.Name); known && !used[c.Name] {
			t.Errorf("no type uses column %s", c.Name)
		}
	}
	for _, c := range m.Columns {
		want, err := ptx.Instructions("scratchpad", "scratchpad_"+c.Name)
		if err != nil {
			want, err = ptx.Instructions("scratchpad_casfree", "scratchpad_"+c.Name)
		}
		if err != nil {
			t.Error(err)
		}
		for _, opcode := range strings.Fields(instructions[c.Name]) {
			if !slices.ContainsFunc(want, func(i ptx.Instruction) bool { return i.Opcode == opcode }) {
				t.Errorf("the kernel of column %s has no %s", c.Name, opcode)
			}
		}
		if instructions[c.Name] == "" {
			t.Errorf("column %s does not say its instruction", c.Name)
		}
	}
}

// TestInstall puts a fit into a copy of a profile.
func TestInstall(t *testing.T) {
	base, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	before := base.SharedAtomic(device.F32).Base.Value
	r := Result{Params: fermi, Constants: []Constant{{"base", 108, Interval{107, 109}}}}
	p, err := Install(base, device.OpAdd, device.F32, r, "a test")
	if err != nil {
		t.Fatal(err)
	}
	got, err := latency.ForDevice(p, device.OpAdd, device.F32)
	if err != nil || got != fermi {
		t.Errorf("%+v (%v), want %+v", got, err, fermi)
	}
	if base.SharedAtomic(device.F32).Base.Value != before {
		t.Error("the base profile was changed")
	}
	q := p.SharedAtomic(device.F32).Base
	if q.Source != "a test" || !strings.Contains(q.Rationale, "107 to 109") {
		t.Errorf("%+v", q)
	}
	added, err := Install(p, device.OpMin, device.U32, Result{Params: native}, "a test")
	if err != nil {
		t.Fatal(err)
	}
	want := native
	want.Bank = native.Round // a native unit serves a bank's lanes one by one
	if got, err := latency.ForDevice(added, device.OpMin, device.U32); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
}

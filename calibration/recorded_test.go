package calibration

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/latency"
)

// storedFit is a fit of which nothing is lost in a file.
type storedFit Result

// TestProfiles: the profile of each GPU with recordings is, to the byte, what a fit of them gives,
// and so is that of the quick calibration. The fits of columns are stored, and some of them are made
// anew and compared.
func TestProfiles(t *testing.T) {
	quick, err := h100.Archive.Quick()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, profile string
		archive       *archive.Archive
	}{
		{"h100", "device/profiles/h100.json", h100.Archive},
		{"h100_quick", "datasets/h100/quick/profile.json", quick},
		{"h200", "device/profiles/h200.json", h200.Archive},
	} {
		t.Run(c.name, func(t *testing.T) {
			compareProfile(t, c.archive, filepath.Join("..", filepath.FromSlash(c.profile)),
				filepath.Join("testdata", c.name+"_columns.json"))
		})
	}
}

// compareProfile fits an archive, with the fits of columns stored in a file, and compares the profile
// with one.
func compareProfile(t *testing.T, a *archive.Archive, profile, stored string) {
	in := inputOf(t, a)
	b, err := newBuilder(in)
	if err != nil {
		t.Fatal(err)
	}
	p, report, err := b.build(func(all []ColumnFit) error {
		return fromStored(t, b, golden.Full() || golden.Update(), all, stored)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Quantities) < 100 || len(report.Warnings) > 0 {
		t.Errorf("%d quantities, warnings %q", len(report.Quantities), report.Warnings)
	}
	fitted, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	held, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fitted, held) {
		t.Errorf("atomtune fit gives another profile (-%s +fitted):\n%s", profile,
			cmp.Diff(strings.Split(string(held), "\n"), strings.Split(string(fitted), "\n")))
	}
}

// fromStored takes the fits of columns from a file, or makes them anew and compares. ATOMTUNE_UPDATE_GOLDEN=1
// writes the file.
func fromStored(t *testing.T, b *builder, anew bool, all []ColumnFit, path string) error {
	update := anew && golden.Update()
	stored := map[string]storedFit{}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &stored)
	}
	if err != nil && !update {
		t.Fatal(err)
	}
	var made []ColumnFit
	if anew {
		made = slices.Clone(all)
	}
	if err := b.fitEach(made); err != nil {
		return err
	}
	for _, c := range made {
		if diff := cmp.Diff(stored[c.Column], storedFit(c.Result)); diff != "" && !update {
			t.Errorf("%s (-stored +fitted):\n%s", c.Column, diff)
		}
		stored[c.Column] = storedFit(c.Result)
	}
	if len(stored) != len(all) {
		t.Errorf("%s holds %d fits of %d columns", path, len(stored), len(all))
	}
	for i, c := range all {
		all[i].Result = Result(stored[c.Column])
	}
	if !update {
		return nil
	}
	if data, err = json.MarshalIndent(stored, "", " "); err != nil {
		return err
	}
	return os.WriteFile(path, append(data, '\n'), 0o644)
}

// columns reads the patterns with what their kernels do.
func columns(t *testing.T, a *archive.Archive) (*patterns.Measurements, map[string]string, error) {
	t.Helper()
	data, err := a.File(recordings.ScratchpadFile)
	if err != nil {
		return nil, nil, err
	}
	m, err := patterns.ReadMeasurements(bytes.NewReader(data), recordings.ScratchpadFile,
		patterns.Words)
	if err != nil {
		return nil, nil, err
	}
	instructions, err := recordings.ColumnInstructions(recordings.ScratchpadFile, m)
	return m, instructions, err
}

// TestUses: every column that is measured of an operation is one that a type uses, and every
// column says an instruction that its kernel has.
func TestUses(t *testing.T) {
	m, instructions, err := columns(t, h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, kind := range device.Types() {
		for _, o := range device.Operations() {
			if _, err := m.Column(column(kind, o)); err == nil {
				used[column(kind, o)] = true
			}
		}
	}
	if len(used) < 10 {
		t.Errorf("the types use columns %v", used)
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
	if q.Source != "a test" || !strings.Contains(q.Rationale, "107") || !strings.Contains(q.Rationale, "109") {
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

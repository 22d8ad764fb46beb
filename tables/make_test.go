package tables

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/tuner/model"
)

// own returns a user's profile: that of a built-in device under another name.
func own(t *testing.T, of string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(of)
	must(t, err)
	mine := *d
	mine.Name, mine.Title = "mine", "My </script> GPU"
	return &mine
}

// hostile is a text that a terminal or a browser would obey.
const hostile = "a\u202etxt\x1b[2J\u009b\u2066"

func mustMake(t *testing.T, o Options) *Document {
	t.Helper()
	doc, err := Make(context.Background(), o)
	must(t, err)
	return doc
}

// TestMade: what small tables of a few devices and types hold is, but for the words, what
// testdata/made.txt holds.
func TestMade(t *testing.T) {
	var lines []string
	for of, typ := range map[string]device.Type{"gtx580": device.F32, "h100": device.U32} {
		doc := mustMake(t, Options{Devices: []*device.Profile{own(t, of)}, Types: []device.Type{typ},
			Operand: device.Loaded, Updates: 2048})
		for i := range doc.Tables {
			doc.Tables[i].InWords, doc.Tables[i].Warnings = nil, nil
		}
		var sum golden.Digest
		sum.JSON(t, doc)
		lines = append(lines, fmt.Sprintf("%s %s: %s", of, typ, sum.String()))
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/made.txt", lines)
}

// TestWidth: a table of rows holds choices for rows.
func TestWidth(t *testing.T) {
	doc := mustMake(t, Options{Devices: []*device.Profile{own(t, "h200")}, Types: []device.Type{device.BF16}, Width: 4,
		Updates: 1024})
	cells := 0
	for _, c := range slices.Concat(doc.Tables[0].Rows...) {
		if c == nil {
			continue
		}
		if cells++; c.Implementation.ValidateWide() != nil {
			t.Errorf("%s adds no rows", c.Implementation)
		}
	}
	if cells < 20 || doc.Width != 4 {
		t.Errorf("%d cells of width %d", cells, doc.Width)
	}
}

// TestOwnProfile: profiles of the user make tables too, each of streams in the warps of its device, with a
// doubt since no model corrects them. The outcome does not depend on the number of cores, progress goes
// from 1 to the total, and no title is taken for more than text. It is written into a folder that is made,
// and read back.
func TestOwnProfile(t *testing.T) {
	o := Options{Devices: []*device.Profile{own(t, "hd5870"), own(t, "gtx580")}, Types: []device.Type{device.U32},
		Operand: device.One, Updates: 1024}
	o.Devices[1].Name = "other"
	var steps []int
	end := 0
	o.Progress = func(done, total int) { steps, end = append(steps, done), total }
	doc := mustMake(t, o)
	if len(steps) != end || end != 2*len(doc.Columns) || !slices.IsSorted(steps) || steps[0] != 1 ||
		steps[end-1] != end {
		t.Errorf("progress %v of %d", steps, end)
	}
	if !slices.Equal(doc.Devices(), []string{"mine", "other"}) || len(doc.Tables) != 2 || doc.Value != device.One ||
		doc.Updates != 1024 {
		t.Errorf("%d tables of %q, %s, %d updates", len(doc.Tables), doc.Devices(), doc.Value, doc.Updates)
	}
	for i, table := range doc.Tables {
		if len(table.Warnings) != 1 {
			t.Errorf("%s: warnings %q", table.Device, table.Warnings)
		}
		for _, c := range slices.Concat(table.Rows...) {
			if c != nil && doc.Streams[c.Stream].WarpSize != []int{64, 32}[i] {
				t.Fatalf("%s: a stream in warps of %d", table.Device, doc.Streams[c.Stream].WarpSize)
			}
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if diff := cmp.Diff(doc, mustMake(t, o)); diff != "" {
		t.Errorf("on one core: %s", diff)
	}
	writes(t, doc)
	page, err := doc.HTML()
	if err != nil || strings.Count(string(page), "</script>") != 2 {
		t.Errorf("a title ends the data of the page (error %v)", err)
	}
	for i := range doc.Tables {
		doc.Tables[i].Title, doc.Tables[i].Warnings = hostile, []string{hostile}
	}
	files, err := doc.Files()
	must(t, err)
	for _, f := range files {
		text := strings.ReplaceAll(string(f.Content), "\n", "")
		if f.Name == "tables.json" {
			if !strings.Contains(text, "\u202e") {
				t.Error("the JSON has another title")
			}
		} else if text != visible.Line(text) || strings.Contains(text, `"a\u`) {
			t.Errorf("%s has characters that are not shown, or has a browser make them", f.Name)
		}
	}
}

// writes holds a document to what is in the folder that it is written into.
func writes(t *testing.T, doc *Document) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	paths, err := doc.Write(dir)
	must(t, err)
	data, err := os.ReadFile(filepath.Join(dir, "tables.json"))
	must(t, err)
	back, err := decode(data)
	if diff := cmp.Diff(doc, back); diff != "" || err != nil {
		t.Errorf("read back: %s, %v", diff, err)
	}
	if _, err := doc.Write(paths[0]); err == nil || !strings.Contains(err.Error(), paths[0]) {
		t.Errorf("error %v, want one that names %s", err, paths[0])
	}
}

// TestFineTargets: neighbours differ by one or by less than 5 %, and all rows
// are among them.
func TestFineTargets(t *testing.T) {
	list := fineTargets
	for i, k := range list[1:] {
		if ratio := float64(k) / float64(list[i]); k != list[i]+1 && (ratio <= 1 || ratio >= 1.05) {
			t.Errorf("%d after %d", k, list[i])
		}
	}
	for row, place := range rowPlaces {
		if list[place] != 1<<(2*row) {
			t.Errorf("row %d has %d targets", row, list[place])
		}
	}
	if list[0] != 1 || list[len(list)-1] != 1<<24 {
		t.Errorf("from %d to %d", list[0], list[len(list)-1])
	}
}

func TestMakeRefuses(t *testing.T) {
	mine, other := own(t, "gtx580"), own(t, "gtx580")
	other.Name = "other"
	readme := own(t, "gtx580")
	readme.Name = "readme"
	for name, o := range map[string]Options{
		"no device": {},
		"twice":     {Devices: []*device.Profile{mine, mine}},
		"readme":    {Devices: []*device.Profile{mine, readme}},
		"types":     {Devices: []*device.Profile{mine}, Types: []device.Type{device.F32, device.F32}},
		"type":      {Devices: []*device.Profile{mine}, Types: []device.Type{9}},
		"operand":   {Devices: []*device.Profile{mine}, Types: []device.Type{device.U32}, Operand: 7},
		"few":       {Devices: []*device.Profile{mine}, Updates: MinUpdates - 1},
		"negative":  {Devices: []*device.Profile{mine}, Updates: -4},
		"model":     {Devices: []*device.Profile{mine, other}, Model: new(model.Model)},
	} {
		if _, err := Make(t.Context(), o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v, want ErrOptions", name, err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Make(stopped, Options{Devices: []*device.Profile{mine},
		Updates: 1024}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := Make(t.Context(), Options{Devices: []*device.Profile{mine},
		Model: &model.Model{Device: "other"}}); !errors.Is(err, model.ErrModel) {
		t.Errorf("error %v, want ErrModel", err)
	}
}

// TestStreamsReachTheLevel: the stream that is made for a column has its level, with many targets
// and with few, and a frequent target where the column says so.
func TestStreamsReachTheLevel(t *testing.T) {
	const updates = 1 << 16
	for at, c := range columns {
		if c.Level == 0 {
			continue
		}
		for _, k := range []uint32{128, 4096} {
			s := source{column: at, updates: updates, warpSize: 32, points: map[int]*point{},
				shares: map[uint32]int{}}
			p, err := s.at(slices.Index(fineTargets, k))
			if err != nil || p == nil {
				t.Fatalf("%s, %d targets: %v, %v", c, k, p, err)
			}
			if level := p.stats.WarpLevel; math.Abs(level/c.Level-1) > 0.08 {
				t.Errorf("%s, %d targets: level %v of %s", c, k, level, p.stream.Spec)
			}
			share := float64(p.stats.MaxFrequency) / updates
			if one := share > 0.5*c.Level; one != (c.Arrangement == Hot) && k == 4096 {
				t.Errorf("%s, %d targets: the most frequent target has %.3f of the updates", c, k, share)
			}
		}
	}
}

package tables

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// own returns a user's profile: that of a built-in device under another name.
func own(t *testing.T, of string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(of)
	if err != nil {
		t.Fatal(err)
	}
	mine := *d
	mine.Name, mine.Title = "mine", "My </script> GPU"
	return &mine
}

// hostile is a text that a terminal or a browser would obey.
const hostile = "a\u202etxt\x1b[2J\u009b\u2066"

func fileOf(t *testing.T, doc *Document, name string) []byte {
	t.Helper()
	files, err := doc.Files()
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	if err != nil || i < 0 {
		t.Fatalf("no %s (error %v)", name, err)
	}
	return files[i].Content
}

func mustMake(t *testing.T, o Options) *Document {
	t.Helper()
	doc, err := Make(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOwnProfile: a profile of the user makes tables too, which say that no
// model corrects them; the outcome does not depend on the number of cores, and
// progress goes from 1 to the total.
func TestOwnProfile(t *testing.T) {
	o := Options{Devices: []*device.Profile{own(t, "gtx580")}, Types: []device.Type{device.F32,
		device.U32}, Operand: device.One, Updates: 2048}
	var steps []int
	end := 0
	o.Progress = func(done, total int) { steps, end = append(steps, done), total }
	doc := mustMake(t, o)
	if len(steps) != end || end != 2*len(doc.Columns) || !slices.IsSorted(steps) || steps[0] != 1 ||
		steps[end-1] != end {
		t.Errorf("progress %v of %d", steps, end)
	}
	if len(doc.Tables) != 2 || doc.Tables[0].Type != device.F32 || doc.Value != device.One ||
		doc.Updates != 2048 {
		t.Errorf("%d tables, %s, %d updates", len(doc.Tables), doc.Value, doc.Updates)
	}
	for _, table := range doc.Tables {
		if len(table.Warnings) != 1 || !strings.Contains(table.Warnings[0], "no model") {
			t.Errorf("%s: warnings %q", table.Type, table.Warnings)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if diff := cmp.Diff(doc, mustMake(t, o)); diff != "" {
		t.Errorf("on one core: %s", diff)
	}
	page, err := doc.HTML()
	if err != nil || strings.Count(string(page), "</script>") != 2 {
		t.Errorf("a title ends the data of the page (error %v)", err)
	}
	for i := range doc.Tables {
		doc.Tables[i].Title, doc.Tables[i].Warnings = hostile, []string{hostile}
	}
	for _, name := range []string{"tables.html", "README.md", "mine.md", "tables.csv", "break-evens.csv"} {
		text := strings.ReplaceAll(string(fileOf(t, doc, name)), "\n", "")
		if text != visible.Line(text) || strings.Contains(text, `"a\u`) {
			t.Errorf("%s has characters that are not shown, or has a browser make them", name)
		}
	}
	if data := fileOf(t, doc, "tables.json"); !bytes.Contains(data, []byte("\u202e")) {
		t.Error("the JSON has another title")
	}
}

// TestWideWarps: streams are cut into the warps of the device, and types that
// it cannot run are left out unless they are asked for.
func TestWideWarps(t *testing.T) {
	o := Options{Devices: []*device.Profile{own(t, "hd5870"), own(t, "gtx580")}, Updates: 1024}
	o.Devices[1].Name = "other"
	doc := mustMake(t, o)
	sizes := map[string]int{"mine": 64, "other": 32}
	for _, table := range doc.Tables {
		for _, row := range table.Rows {
			for _, c := range row {
				if c != nil && doc.Streams[c.Stream].WarpSize != sizes[table.Device] {
					t.Fatalf("%s: a stream in warps of %d", table.Device, doc.Streams[c.Stream].WarpSize)
				}
			}
		}
	}
	if names := doc.Devices(); !slices.Equal(names, []string{"mine", "other"}) {
		t.Errorf("tables of %q", names)
	}
}

// TestBisect finds both ends of a kind that wins between two rows, and nothing
// where a side cannot run.
func TestBisect(t *testing.T) {
	winner := func(name string) *tuner.Decision {
		return &tuner.Decision{Choice: tuner.Choice{Implementation: implementation(t, name)}}
	}
	l := &line{seen: map[int]*tuner.Decision{}}
	for i := range fineTargets {
		switch {
		case i < 7:
			l.seen[i] = winner("private:r=2,pad=1")
		case i < 10:
			l.seen[i] = winner("match")
		case i < 20:
			l.seen[i] = winner("private:r=8,pad=1")
		case i < 21:
			l.seen[i] = winner("sort")
		default:
			l.seen[i] = nil
		}
	}
	if l.bisect(context.Background(), 0, 18); l.err != nil || l.breaks != nil {
		t.Errorf("breaks %v, error %v, want none: both ends are of one kind", l.breaks, l.err)
	}
	for _, ends := range [][2]int{{0, 9}, {9, 20}, {20, 40}} {
		if l.bisect(context.Background(), ends[0], ends[1]); l.err != nil {
			t.Fatal(l.err)
		}
	}
	if !slices.Equal(l.breaks, []int{6, 9, 19}) {
		t.Errorf("breaks after places %v, want 6, 9, 19", l.breaks)
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
	if len(rowPlaces) != 13 {
		t.Errorf("%d rows", len(rowPlaces))
	}
	if list[0] != 1 || list[len(list)-1] != 1<<24 {
		t.Errorf("from %d to %d", list[0], list[len(list)-1])
	}
}

func TestMakeRefuses(t *testing.T) {
	mine := own(t, "gtx580")
	for want, o := range map[string]Options{
		"no device":    {},
		"stands twice": {Devices: []*device.Profile{mine, mine}},
		"f32 stands":   {Devices: []*device.Profile{mine}, Types: []device.Type{device.F32, device.F32}},
		"type":         {Devices: []*device.Profile{mine}, Types: []device.Type{9}},
		"operand 7":    {Devices: []*device.Profile{mine}, Types: []device.Type{device.U32}, Operand: 7},
		"1023 updates": {Devices: []*device.Profile{mine}, Updates: MinUpdates - 1},
		"-4 updates":   {Devices: []*device.Profile{mine}, Updates: -4},
		"one device":   {Devices: []*device.Profile{mine, own(t, "gtx580")}, Model: new(model.Model)},
	} {
		if want == "one device" {
			o.Devices[1].Name = "other"
		}
		if _, err := Make(context.Background(), o); !errors.Is(err, ErrOptions) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want ErrOptions with %q", err, want)
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Make(stopped, Options{Devices: []*device.Profile{mine},
		Updates: 1024}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if _, err := Make(context.Background(), Options{Devices: []*device.Profile{mine},
		Model: &model.Model{Device: "other"}}); !errors.Is(err, model.ErrModel) {
		t.Errorf("error %v, want ErrModel", err)
	}
}

// TestWrite: a folder is made, and one that cannot be is named.
func TestWrite(t *testing.T) {
	doc := mustMake(t, Options{Devices: []*device.Profile{own(t, "gtx580")},
		Types: []device.Type{device.U32}, Updates: 1024})
	dir := filepath.Join(t.TempDir(), "a", "b")
	paths, err := doc.Write(dir)
	if err != nil || len(paths) != 6 {
		t.Fatalf("%q, %v", paths, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "tables.json"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(doc, back); diff != "" {
		t.Errorf("read back: %s", diff)
	}
	if _, err := doc.Write(paths[0]); err == nil || !strings.Contains(err.Error(), paths[0]) {
		t.Errorf("error %v, want one that names %s", err, paths[0])
	}
	for _, broken := range []string{"", "[]", `{"updates": 1, "more": 2}`, string(data) + "{}",
		string(data[:len(data)-9])} {
		if _, err := decode([]byte(broken)); err == nil {
			t.Errorf("%.30q is read", broken)
		}
	}
}

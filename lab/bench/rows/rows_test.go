package rows

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
)

const documentFile = "../../../doc/ROWS.md"

// TestDocument: doc/ROWS.md says what the recorded tables hold. No result is wrong, the hot row is
// ten times as fast as index_add_ at half of the floor at least, and no row of a case is lost.
func TestDocument(t *testing.T) {
	var doc bytes.Buffer
	doc.WriteString(Head)
	for _, name := range []string{"h100", "h200"} {
		p, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(filepath.Join("recorded", name+".csv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		if r.GPU != p.Title {
			t.Errorf("%s: measured on %s", name, r.GPU)
		}
		r.WriteTo(&doc, p)
		hot := r.FiguresOf(p, HotRow)
		if hot.Cases != 1 || hot.IndexAdd < 10 || hot.CallFloorPercent < 50 {
			t.Errorf("%s: the hot row: %+v, want one case, 10 times and 50 %%", name, hot)
		}
		if all := r.FiguresOf(p, func(*Case) bool { return true }); all.Cases != 300 || all.Least < 0.85 {
			t.Errorf("%s: %d cases, index_add_ over the call at least %v, want 300 and 0.85", name,
				all.Cases, all.Least)
		}
		for _, c := range r.Cases {
			if c.Wrong != 0 || len(c.US) < 4 {
				t.Errorf("%s: %s %s %d: %d wrong elements, %d times", name, c.Label, c.Type, c.Width,
					c.Wrong, len(c.US))
			}
		}
	}
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(documentFile, doc.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(documentFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), doc.String()); diff != "" {
		t.Errorf("%s (-committed +now):\n%s", documentFile, diff)
	}
}

// made is a table of one case: a floor of 1.25 us on a device that moves 2·10^10 bytes a second out
// of L2 and 10^10 out of DRAM.
func made(rows ...string) []byte {
	return []byte("# gpu: G\n# torch: 2\n" + strings.Join(columns, ",") + "\n" + strings.Join(rows, "\n") + "\n")
}

// TestFigures: ratios and floor by hand.
func TestFigures(t *testing.T) {
	const c = `"a",100,50,10,60,bf16,8,`
	r, err := decode("made.csv", made(c+"torch.index_add_,0,40,40,40,3,7", c+"automatic,0,10,9,11,10,0",
		c+"runs,0,8,8,8,10,0", c+"hot,4,5,5,5,10,0"))
	if err != nil {
		t.Fatal(err)
	}
	var p device.Profile
	p.Memory.L2Rate.Value, p.Memory.DRAMRate.Value, p.Memory.L2Bytes.Value = 2e9, 1e9, 1000
	f := r.FiguresOf(&p, func(*Case) bool { return true })
	// 100·(8 + 16) bytes are beyond L2, 2·10·16 are not.
	floor := 2400/1e3 + 320/2e3
	want := Figures{Cases: 1, IndexAdd: 4, Least: 4, Most: 4, OverBest: 2, MostOverBest: 2,
		CallFloorPercent: 10 * floor, BestShare: 20 * floor, Won: map[string]int{"hot": 1}}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, f, near); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if r.Cases[0].Wrong != 0 {
		t.Error("what PyTorch rounds counts as wrong")
	}
}

func TestWrongTables(t *testing.T) {
	const c = `"a",100,50,10,60,bf16,8,`
	for _, wrong := range []struct{ row, want string }{
		{c + "runs,0,0,8,8,10,0", "median_us"},
		{c + "runs,0,x,8,8,10,0", "median_us"},
		{c + "runs,-1,8,8,8,10,0", "slots"},
		{`"a",100,50,10,60,f64,8,runs,0,8,8,8,10,0`, "f64"},
		{`"a",100,50,10,60,f32,0,runs,0,8,8,8,10,0`, "width 0"},
		{c + "runs,0,8,8,8,10,0\n" + c + "runs,0,8,8,8,10,0", "twice"},
	} {
		_, err := decode("made.csv", made(wrong.row))
		if !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), wrong.want) ||
			!strings.Contains(err.Error(), "made.csv:") {
			t.Errorf("%s: %v, want an error with %q and the line", wrong.row, err, wrong.want)
		}
	}
	if _, err := decode("made.csv", []byte("label\n")); !errors.Is(err, ErrRun) {
		t.Errorf("no head: %v", err)
	}
}

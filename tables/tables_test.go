package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
)

const folder = "../doc/tables"

// committed returns the committed tables. ATOMTUNE_UPDATE_GOLDEN=1 makes them
// again first.
var committed = sync.OnceValues(func() (*Document, error) {
	if golden.Update() {
		var o Options
		for _, name := range Documented() {
			d, err := device.Builtin(name)
			if err != nil {
				return nil, err
			}
			o.Devices = append(o.Devices, d)
		}
		doc, err := Make(context.Background(), o)
		if err != nil {
			return nil, err
		}
		if _, err := doc.Write(folder); err != nil {
			return nil, err
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "tables.json"))
	if err != nil {
		return nil, err
	}
	return decode(data)
})

func document(t *testing.T) *Document {
	t.Helper()
	doc, err := committed()
	must(t, err)
	return doc
}

// TestEveryCell makes streams of cells again from their specifications, some of them or every one with
// ATOMTUNE_FULL=1, asks a chooser for each of the cells that stand on them, and compares.
func TestEveryCell(t *testing.T) {
	doc, each := document(t), 16
	if golden.Full() {
		each = 1
	}
	streams, compared := map[int]*collision.Stats{}, 0
	for _, table := range doc.Tables {
		d, err := device.Builtin(table.Device)
		must(t, err)
		chooser, err := tuner.New(d, tuner.Options{Call: device.Call{Type: table.Type, Operand: doc.Value},
			SearchLaunch: true})
		must(t, err)
		for at, c := range slices.Concat(table.Rows...) {
			if c == nil || c.Stream%each > 0 {
				continue
			}
			if streams[c.Stream] == nil {
				streams[c.Stream] = made(t, doc, doc.Streams[c.Stream])
			}
			decision, err := chooser.Choose(tuner.Given(streams[c.Stream]))
			must(t, err)
			where := fmt.Sprintf("%s %s, %d targets, %s", table.Device, table.Type, doc.Targets[at/len(doc.Columns)],
				doc.Columns[at%len(doc.Columns)])
			if lanes := doc.Streams[c.Stream].WarpSize; int(d.Core.WarpLanes.Value) != lanes {
				t.Errorf("%s: a stream in warps of %d", where, lanes)
			}
			checkCell(t, where, c, decision)
			compared++
		}
	}
	if compared < 1900/each {
		t.Errorf("compared %d cells", compared)
	}
}

// made returns the statistics of a stream that is made again from its specification.
func made(t *testing.T, doc *Document, s Stream) *collision.Stats {
	t.Helper()
	spec, parsed := synth.Parse(s.Spec)
	indices, generated := synth.Generate(spec)
	stats, err := collision.Analyze(indices, collision.Options{WarpSize: s.WarpSize, Bins: uint64(spec.K)})
	if err := errors.Join(parsed, generated, err); err != nil {
		t.Fatalf("%s: %v", s.Spec, err)
	}
	if uint64(spec.K) != s.Targets || spec.N != doc.Updates || stats.MaxFrequency != s.MaxFrequency ||
		!near(stats.WarpLevel, s.WarpLevel) || !near(stats.ClusteredFraction, s.ClusteredFraction) {
		t.Errorf("%s: %+v, but the stream has %+v: script/regenerate makes the tables again", s.Spec, s, stats)
	}
	return &stats
}

// near compares a value with a printed one of four digits or decimals.
func near(exact, printed float64) bool {
	return math.Abs(exact-printed) <= 5.1e-4*math.Abs(exact)+1e-9
}

// checkCell holds a cell to a decision: its first, the second, and the first of another kind.
func checkCell(t *testing.T, where string, c *Cell, d tuner.Decision) {
	t.Helper()
	speedup := d.Choice.SpeedupOverNaive
	if d.Choice.Implementation != c.Implementation || !near(d.Choice.PredictedUS, c.PredictedUS) ||
		(speedup == nil) != (c.SpeedupOverNaive == nil) || speedup != nil && !near(*speedup, *c.SpeedupOverNaive) {
		t.Errorf("%s: %+v, now %+v", where, c, d.Choice)
		return
	}
	behind := func(b *Behind, other func(name string) bool) {
		at := slices.IndexFunc(d.Ranking, func(r tuner.Ranked) bool { return other(r.Implementation.String()) })
		if (b == nil) != (at < 0) {
			t.Errorf("%s: %v, now at place %d", where, b, at)
			return
		}
		if b == nil {
			return
		}
		r := d.Ranking[at]
		if b.Implementation != r.Implementation || math.Abs(b.Margin-(r.PredictedUS/d.Choice.PredictedUS-1)) > 1e-4 {
			t.Errorf("%s: %s, %v behind, now %s, %v us", where, b.Implementation, b.Margin, r.Implementation,
				r.PredictedUS)
		}
	}
	name := c.Implementation.String()
	behind(c.Second, func(of string) bool { return of != name })
	behind(c.Rival, func(of string) bool { return plain(of) != plain(name) })
}

// decode reads what JSON returns.
func decode(data []byte) (*Document, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	doc := new(Document)
	return doc, dec.Decode(doc)
}

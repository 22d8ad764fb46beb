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
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

const folder = "../doc/tables"

// committed returns the committed tables. ATOMTUNE_UPDATE_GOLDEN=1 makes them
// again first, for the devices that have a model.
var committed = sync.OnceValues(func() (*Document, error) {
	if golden.Update() {
		var o Options
		for _, name := range modelled() {
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

// modelled lists the devices with an embedded model, the H200 first.
func modelled() []string {
	const first = "h200"
	return append([]string{first}, slices.DeleteFunc(device.Names(), func(name string) bool {
		_, err := model.Embedded(name)
		return errors.Is(err, model.ErrNoModel) || name == first
	})...)
}

func document(t *testing.T) *Document {
	t.Helper()
	doc, err := committed()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// claim is what a document says of one stream: a cell, or a side of a
// break-even point with the kind of the other side.
type claim struct {
	table *Table
	where string
	cell  *Cell
	side  *Side
	other variant.Variant
}

// claims lists what the document says, by stream.
func claims(doc *Document) map[int][]claim {
	all := map[int][]claim{}
	for i := range doc.Tables {
		t := &doc.Tables[i]
		where := t.Device + " " + t.Type.String()
		for row := range t.Rows {
			for column, c := range t.Rows[row] {
				if c != nil {
					at := fmt.Sprintf("%s, %d targets, %s", where, doc.Targets[row], doc.Columns[column])
					all[c.Stream] = append(all[c.Stream], claim{table: t, where: at, cell: c})
				}
			}
		}
		for _, b := range t.BreakEvens {
			at := fmt.Sprintf("%s, %s, break-even at %d", where, doc.Columns[b.Column], b.Last.Targets)
			all[b.Last.Stream] = append(all[b.Last.Stream], claim{table: t, where: at, side: &b.Last,
				other: b.First.Implementation})
			all[b.First.Stream] = append(all[b.First.Stream], claim{table: t, where: at, side: &b.First,
				other: b.Last.Implementation})
		}
	}
	return all
}

// everyStream is which streams TestEveryCell makes: every one with ATOMTUNE_FULL=1.
func everyStream() int {
	if os.Getenv("ATOMTUNE_FULL") != "" {
		return 1
	}
	return 32
}

// TestEveryCell makes the streams of cells and of sides of break-even points again
// from their specifications, asks a chooser for each of their cells and compares.
func TestEveryCell(t *testing.T) {
	doc := document(t)
	all := claims(doc)
	if len(all) != len(doc.Streams) {
		t.Errorf("%d of %d streams stand behind something", len(all), len(doc.Streams))
	}
	makers, places, found := choosers(t, doc), make(chan int), new(faults)
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for i := range places {
				recompute(found, doc, makers, i, all[i])
			}
		})
	}
	cells, sides := 0, 0
	for i := 0; i < len(doc.Streams); i += everyStream() {
		places <- i
		for _, c := range all[i] {
			if c.cell != nil {
				cells++
			} else {
				sides++
			}
		}
	}
	close(places)
	workers.Wait()
	if n := len(found.list); n > 0 {
		t.Errorf("%d differences; go generate ./tables makes the tables again; the first:\n%s", n,
			strings.Join(found.list[:min(n, 8)], "\n"))
	}
	if cells < 2000/everyStream() || sides < 100/everyStream() {
		t.Errorf("compared %d cells and %d sides of break-even points", cells, sides)
	}
}

// faults collects what differs, so that stale tables are one message.
type faults struct {
	sync.Mutex
	list []string
}

func (f *faults) addf(format string, args ...any) {
	f.Lock()
	defer f.Unlock()
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// choosers returns what chooses for each table.
func choosers(t *testing.T, doc *Document) map[*Table]*tuner.Chooser {
	all := map[*Table]*tuner.Chooser{}
	for i := range doc.Tables {
		table := &doc.Tables[i]
		d, err := device.Builtin(table.Device)
		if err != nil {
			t.Fatal(err)
		}
		if all[table], err = tuner.NewChooser(d, tuner.Options{Call: device.Call{Type: table.Type,
			Operand: doc.Value}, SearchLaunch: true}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func recompute(t *faults, doc *Document, choosers map[*Table]*tuner.Chooser, place int, list []claim) {
	s := doc.Streams[place]
	spec, parsed := synth.Parse(s.Spec)
	indices, made := synth.Generate(spec)
	stats, err := collision.Analyze(indices, collision.Options{WarpSize: s.WarpSize,
		Bins: uint64(spec.K), Workers: 1})
	if err := errors.Join(parsed, made, err); err != nil {
		t.addf("%s: %v", s.Spec, err)
		return
	}
	if uint64(spec.K) != s.Targets || spec.N != doc.Updates || stats.MaxFrequency != s.MaxFrequency ||
		!near(stats.WarpLevel, s.WarpLevel) || !near(stats.ClusteredFraction, s.ClusteredFraction) {
		t.addf("%s: %+v, but the stream has %+v", s.Spec, s, stats)
	}
	for _, c := range list {
		d, err := device.Builtin(c.table.Device)
		if err != nil {
			t.addf("%s: %v", s.Spec, err)
			return
		}
		if int(d.Core.WarpLanes.Value) != s.WarpSize {
			t.addf("%s: a stream in warps of %d", c.where, s.WarpSize)
		}
		decision, err := choosers[c.table].Choose(&stats)
		if err != nil {
			t.addf("%s: %v", c.where, err)
			continue
		}
		if c.cell != nil {
			checkCell(t, c, decision)
		} else {
			checkSide(t, c, s, decision)
		}
	}
}

// near compares a value with a printed one of four digits or decimals.
func near(exact, printed float64) bool {
	return math.Abs(exact-printed) <= 5.1e-4*math.Abs(exact)+1e-9
}

func checkCell(t *faults, c claim, d tuner.Decision) {
	if d.Choice.Implementation != c.cell.Implementation || !near(d.Choice.PredictedUS,
		c.cell.PredictedUS) {
		t.addf("%s: %s, %v us, now %s, %v us", c.where, c.cell.Implementation, c.cell.PredictedUS,
			d.Choice.Implementation, d.Choice.PredictedUS)
		return
	}
	if (d.Choice.SpeedupOverNaive == nil) != (c.cell.SpeedupOverNaive == nil) ||
		d.Choice.SpeedupOverNaive != nil && !near(*d.Choice.SpeedupOverNaive, *c.cell.SpeedupOverNaive) {
		t.addf("%s: another speedup over naive", c.where)
	}
	name := c.cell.Implementation.String()
	var second, rival *tuner.Ranked
	for i := range d.Ranking {
		r := &d.Ranking[i]
		if second == nil && r.Implementation.String() != name {
			second = r
		}
		if rival == nil && plain(r.Implementation.String()) != plain(name) {
			rival = r
		}
	}
	checkBehind(t, c.where+", second", c.cell.Second, second, d.Choice.PredictedUS)
	checkBehind(t, c.where+", rival", c.cell.Rival, rival, d.Choice.PredictedUS)
}

func checkBehind(t *faults, where string, b *Behind, r *tuner.Ranked, choice float64) {
	if (b == nil) != (r == nil) {
		t.addf("%s: %v, now %v", where, b, r)
		return
	}
	if b == nil {
		return
	}
	if b.Implementation != r.Implementation || math.Abs(b.Margin-(r.PredictedUS/choice-1)) > 1e-4 {
		t.addf("%s: %s, %v behind, now %s, %v us", where, b.Implementation, b.Margin, r.Implementation,
			r.PredictedUS)
	}
}

func checkSide(t *faults, c claim, s Stream, d tuner.Decision) {
	if c.side.Targets != s.Targets || d.Choice.Implementation != c.side.Implementation {
		t.addf("%s: %d targets, %s, now %d, %s", c.where, c.side.Targets, c.side.Implementation,
			s.Targets, d.Choice.Implementation)
	}
	least := math.Inf(1)
	for _, r := range d.Ranking {
		if plain(r.Implementation.String()) == plain(c.other.String()) {
			least = min(least, r.PredictedUS)
		}
	}
	if math.IsInf(least, 1) != (c.side.Margin == nil) ||
		c.side.Margin != nil && math.Abs(*c.side.Margin-(least/d.Choice.PredictedUS-1)) > 1e-4 {
		t.addf("%s, %d targets: the other kind takes %v us, the choice %v us", c.where, s.Targets, least,
			d.Choice.PredictedUS)
	}
}

// decode reads what JSON returns.
func decode(data []byte) (*Document, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	doc := new(Document)
	return doc, dec.Decode(doc)
}

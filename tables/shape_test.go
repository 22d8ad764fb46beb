package tables

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

var parameters = regexp.MustCompile(`:[^+]*`)

// plain returns an implementation's name without its parameters.
func plain(name string) string { return parameters.ReplaceAllString(name, "") }

// TestEveryDevice: there is a table for each device of Documented and each type
// that it can run, and for nothing else.
func TestEveryDevice(t *testing.T) {
	doc := document(t)
	var want, have []string
	for _, name := range Documented() {
		d, err := device.Builtin(name)
		must(t, err)
		for _, typ := range device.Types() {
			_, err := tuner.New(d, tuner.Options{Call: device.Call{Type: typ}})
			if err == nil {
				want = append(want, name+" "+typ.String())
			} else if !errors.Is(err, model.ErrNone) {
				t.Fatal(err)
			}
		}
	}
	for _, table := range doc.Tables {
		have = append(have, table.Device+" "+table.Type.String())
		if n := len(slices.Concat(table.Rows...)); n != len(doc.Targets)*len(doc.Columns) {
			t.Errorf("%s %s: %d cells", table.Device, table.Type, n)
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) || len(want) < 18 {
		t.Errorf("tables of %q, want %q", have, want)
	}
	if doc.Updates != DefaultUpdates || doc.Value != device.Loaded {
		t.Errorf("%d updates, value %s", doc.Updates, doc.Value)
	}
}

// TestLevelsAreReached: streams have the level of their column within 6 %, and
// cells are missing only where a uniform stream of so few targets exceeds it.
func TestLevelsAreReached(t *testing.T) {
	doc := document(t)
	checked := 0
	for _, s := range doc.Streams {
		c := doc.Columns[s.Column]
		if c.Level == 0 {
			continue
		}
		checked++
		if math.Abs(s.WarpLevel/c.Level-1) > 0.06 {
			t.Errorf("%s: level %v, want %v", s.Spec, s.WarpLevel, c.Level)
		}
	}
	for _, table := range doc.Tables {
		for row := range doc.Targets {
			byChance := doc.Streams[table.Rows[row][0].Stream].WarpLevel
			for column, c := range doc.Columns {
				if missing := table.Rows[row][column] == nil; missing != (c.Level > 0 &&
					byChance > c.Level*(1+slack)) {
					t.Errorf("%s %s, %d targets, %s: missing %v, level by chance %v", table.Device, table.Type,
						doc.Targets[row], c, missing, byChance)
				}
				checked++
			}
		}
	}
	if checked < 3000 {
		t.Errorf("checked %d", checked)
	}
}

// TestBreakEvens: both sides differ in kind and lie next to each other; from row
// to row along a column, the kinds change exactly at the break-even points.
func TestBreakEvens(t *testing.T) {
	doc := document(t)
	checked := 0
	for _, table := range doc.Tables {
		for column := range doc.Columns {
			breaks := slices.DeleteFunc(slices.Clone(table.BreakEvens),
				func(b BreakEven) bool { return b.Column != column })
			for _, b := range breaks {
				ratio := float64(b.First.Targets) / float64(b.Last.Targets)
				if b.First.Targets != b.Last.Targets+1 && (ratio <= 1 || ratio >= 1.05) {
					t.Errorf("%s %s: break-even between %d and %d targets", table.Device, table.Type,
						b.Last.Targets, b.First.Targets)
				}
				for _, s := range []Side{b.Last, b.First} {
					if at := doc.Streams[s.Stream]; at.Targets != s.Targets || at.Column != column {
						t.Errorf("%s %s: a side of %d targets stands on %s", table.Device, table.Type, s.Targets,
							at.Spec)
					}
				}
				checked++
			}
			follow(t, doc, &table, column, breaks)
			if now := table.words(doc.Targets, column); now != table.InWords[column] {
				t.Errorf("%s %s: %q, now %q", table.Device, table.Type, table.InWords[column], now)
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d break-even points", checked)
	}
}

// follow goes along a column with the kind that the break-even points leave.
func follow(t *testing.T, doc *Document, table *Table, column int, breaks []BreakEven) {
	kind := ""
	for row, k := range doc.Targets {
		c := table.Rows[row][column]
		if c == nil {
			continue
		}
		for ; kind != "" && len(breaks) > 0 && breaks[0].Last.Targets < k; breaks = breaks[1:] {
			if before := plain(breaks[0].Last.Implementation.String()); before != kind {
				t.Errorf("%s %s, %s: %s before the break-even at %d, want %s", table.Device, table.Type,
					doc.Columns[column], before, breaks[0].Last.Targets, kind)
			}
			if kind = plain(breaks[0].First.Implementation.String()); kind == plain(breaks[0].Last.Implementation.String()) {
				t.Errorf("%s %s, %s: %s on both sides of %d", table.Device, table.Type, doc.Columns[column],
					kind, breaks[0].Last.Targets)
			}
		}
		if have := plain(c.Implementation.String()); kind != "" && have != kind {
			t.Errorf("%s %s, %s, %d targets: %s, but the break-even points leave %s", table.Device,
				table.Type, doc.Columns[column], k, have, kind)
		}
		kind = plain(c.Implementation.String())
	}
	if len(breaks) > 0 {
		t.Errorf("%s %s, %s: a break-even point beyond the rows", table.Device, table.Type,
			doc.Columns[column])
	}
}

package archivetest

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

// apart is how far the starts may lie apart in the median, over readings and over calls.
var apart = map[string]float64{"readings": 0.03, "calls": 0.06}

// noise is how far the repeats and the starts of a suite's rows lie apart,
// relative to the row's value; of one start nothing is known.
type noise struct {
	name            string
	repeats         [2]int // least and most
	within, between []float64
}

func (n *noise) add(repeats int, low, value, high float64, starts ...float64) {
	if len(n.within) == 0 {
		n.repeats = [2]int{repeats, repeats}
	}
	n.repeats = [2]int{min(n.repeats[0], repeats), max(n.repeats[1], repeats)}
	n.within = append(n.within, (high-low)/value)
	n.between = append(n.between, starts...)
}

// Starts is the number of starts on which a call of calls.csv.gz was recorded: one of partition and
// of old values from copies, which came last, and two of others.
func Starts(c recordings.Call) int {
	if v := c.Implementation; v.Width > 0 || c.Call.Returns && !v.AddsAtTargets() {
		return 1
	}
	return 2
}

// apartBy is how far the starts of a row lie apart, nothing where there was one.
func apartBy(starts int, spread float64) []float64 {
	if starts < 2 {
		return nil
	}
	return []float64{spread}
}

// quantile is in percent.
func quantile(values []float64, q float64) string {
	if len(values) == 0 {
		return "-"
	}
	slices.Sort(values)
	return fmt.Sprintf("%.2f", 100*values[min(len(values)-1, int(q*float64(len(values))))])
}

func (n *noise) row() string {
	repeats := fmt.Sprint(n.repeats[0])
	if n.repeats[1] != n.repeats[0] {
		repeats = fmt.Sprintf("%d to %d", n.repeats[0], n.repeats[1])
	}
	return fmt.Sprintf("| %s | %d | %s | %s, %s | %s, %s |\n", n.name, len(n.within), repeats,
		quantile(n.within, 0.5), quantile(n.within, 0.95), quantile(n.between, 0.5),
		quantile(n.between, 0.95))
}

// noises are those of an archive's suites.
type noises []*noise

func (all *noises) of(name string) *noise {
	for _, n := range *all {
		if n.name == name {
			return n
		}
	}
	*all = append(*all, &noise{name: name})
	return (*all)[len(*all)-1]
}

func (all *noises) readings(list []recordings.Reading) (between []float64) {
	for _, r := range list {
		if r.Repeats > r.Starts { // not what a start reads once: attributes and counters
			starts := apartBy(r.Starts, r.StartSpread)
			all.of(r.Suite+": "+r.Name).add(r.Repeats, r.Low, r.Value, r.High, starts...)
			between = append(between, starts...)
		}
	}
	return between
}

func (all *noises) scratchpad(s *recordings.Scratchpad) {
	for _, c := range s.Columns {
		for i, v := range c.Cycles {
			// Medians of the starts are not kept; they lie within the extremes.
			all.of("scratchpad").add(c.Repeats, c.Low[i], v, c.High[i], (c.High[i]-c.Low[i])/v)
		}
	}
}

// calls takes those that were measured.
func (all *noises) calls(list []recordings.Call) (between []float64) {
	for _, c := range list {
		if c.Origin != recordings.Measured {
			continue
		}
		name := "calls below 20 us"
		if c.MedianUS >= 100 {
			name = "calls from 100 us"
		} else if c.MedianUS >= 20 {
			name = "calls of 20 to 100 us"
		}
		starts := apartBy(c.Starts, c.StartSpread)
		all.of(name).add(c.Repeats, c.MinUS, c.MedianUS, c.MaxUS, starts...)
		between = append(between, starts...)
	}
	return between
}

// Noise makes the table of noise of the README in the folder from the recordings and compares it;
// Update writes it. Several starts agree in the median within 3 % over readings, and within 6 % over
// calls, the short ones of which hang on the host.
func Noise(t testing.TB, a *archive.Archive, folder string) {
	var all noises
	between := map[string][]float64{"calls": all.calls(bothParts(t, a))}
	if list, err := a.Readings(); !lacks(t, err) {
		between["readings"] = all.readings(list)
	}
	if s, err := a.Columns(); !lacks(t, err) {
		all.scratchpad(s)
	}
	slices.SortStableFunc(all, func(a, b *noise) int {
		return strings.Compare(strings.SplitN(a.name, ":", 2)[0], strings.SplitN(b.name, ":", 2)[0])
	})
	for what, values := range between {
		slices.Sort(values)
		if n := len(values); n > 0 && values[n/2] > apart[what] {
			t.Errorf("%s: the starts lie %.1f %% apart in the median", what, 100*values[n/2])
		}
	}
	compareTable(t, all, readme(folder))
}

const tableHead = "| suite | rows | repeats | spread of repeats: median, p95 (%) | " +
	"spread of starts: median, p95 (%) |\n|---|---|---|---|---|\n"

func compareTable(t testing.TB, all noises, path string) {
	t.Helper()
	var made bytes.Buffer
	made.WriteString(tableHead)
	for _, n := range all {
		made.WriteString(n.row())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), tableHead)
	if !found {
		t.Fatalf("%s has no table of noise, which begins\n%s", path, tableHead)
	}
	end := len(rest)
	if i := strings.Index(rest, "\n\n"); i >= 0 {
		end = i + 1
	}
	if os.Getenv(Update) != "" {
		if err := os.WriteFile(path, []byte(head+made.String()+rest[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := tableHead + rest[:end]; got != made.String() {
		t.Errorf("%s has\n%s\nthe recordings say\n%s", path, got, made.String())
	}
}

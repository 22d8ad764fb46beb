package h200

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
)

// noise is how far the repeats and the starts of a suite's rows lie apart,
// relative to the row's value.
type noise struct {
	name            string
	repeats         [2]int // least and most
	within, between []float64
}

func (n *noise) add(repeats int, low, value, high, starts float64) {
	if len(n.within) == 0 {
		n.repeats = [2]int{repeats, repeats}
	}
	n.repeats = [2]int{min(n.repeats[0], repeats), max(n.repeats[1], repeats)}
	n.within = append(n.within, (high-low)/value)
	n.between = append(n.between, starts)
}

// quantile is in percent.
func quantile(values []float64, q float64) string {
	slices.Sort(values)
	return fmt.Sprintf("%.2f", 100*values[min(len(values)-1, int(q*float64(len(values))))])
}

func (n *noise) row() string {
	repeats := fmt.Sprint(n.repeats[0])
	if n.repeats[1] != n.repeats[0] {
		repeats = fmt.Sprintf("%d to %d", n.repeats[0], n.repeats[1])
	}
	return fmt.Sprintf("| %s | %d | %s | %s, %s | %s, %s |\n", n.name, len(n.within), repeats,
		quantile(n.within, 0.5), quantile(n.within, 0.95), quantile(n.between,
			0.5), quantile(n.between, 0.95))
}

// TestNoise makes the README's table of noise from the recordings and compares
// it; ATOMTUNE_UPDATE_GOLDEN=1 writes it. Two starts agree within 3 % in the
// median, over readings and over calls.
func TestNoise(t *testing.T) {
	var all []*noise
	group := func(name string) *noise {
		for _, n := range all {
			if n.name == name {
				return n
			}
		}
		all = append(all, &noise{name: name})
		return all[len(all)-1]
	}
	readings, err := Readings()
	if err != nil {
		t.Fatal(err)
	}
	var between []float64
	for _, r := range readings {
		if r.Starts != 2 {
			t.Errorf("%s %s %s: %d starts", r.Suite, r.Name, r.Parameters, r.Starts)
		}
		if r.Suite != "device" {
			group(r.Suite+": "+r.Name).add(r.Repeats, r.Low, r.Value, r.High, r.StartSpread)
			between = append(between, r.StartSpread)
		}
	}
	pad, err := scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range pad.Columns {
		for i, v := range c.Cycles {
			// Medians of the starts are not kept; they lie within the extremes.
			group("scratchpad").add(c.Repeats, c.Low[i], v, c.High[i], (c.High[i]-c.Low[i])/v)
		}
	}
	var calls []float64
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		list, err := Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			name := "calls below 20 us"
			if c.MedianUS >= 100 {
				name = "calls from 100 us"
			} else if c.MedianUS >= 20 {
				name = "calls of 20 to 100 us"
			}
			group(name).add(c.Repeats, c.MinUS, c.MedianUS, c.MaxUS, c.StartSpread)
			calls = append(calls, c.StartSpread)
		}
	}
	slices.SortStableFunc(all, func(a, b *noise) int {
		return strings.Compare(strings.SplitN(a.name, ":", 2)[0], strings.SplitN(b.name, ":", 2)[0])
	})
	for what, values := range map[string][]float64{"readings": between, "calls": calls} {
		slices.Sort(values)
		if m := values[len(values)/2]; m > 0.03 {
			t.Errorf("%s: the starts lie %.1f %% apart in the median", what, 100*m)
		}
	}
	compareTable(t, all)
}

const tableHead = "| suite | rows | repeats | spread of repeats: median, p95 (%) | spread of starts: median, p95 (%) |\n|---|---|---|---|---|\n"

func compareTable(t *testing.T, all []*noise) {
	t.Helper()
	var made bytes.Buffer
	made.WriteString(tableHead)
	for _, n := range all {
		made.WriteString(n.row())
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(readme), tableHead)
	if !found {
		t.Fatal("README.md has no table of noise")
	}
	end := strings.Index(rest, "\n\n") + 1
	if os.Getenv("ATOMTUNE_UPDATE_GOLDEN") != "" {
		if err := os.WriteFile("README.md", []byte(head+made.String()+rest[end:]),
			0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got := tableHead + rest[:end]; got != made.String() {
		t.Errorf("README.md has\n%s\nthe recordings say\n%s", got, made.String())
	}
}

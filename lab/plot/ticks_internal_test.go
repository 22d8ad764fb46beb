package plot

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// number reads a label back.
func number(t *rapid.T, label string) float64 {
	label = strings.NewReplacer(",", "", "−", "-").Replace(label)
	factor, power, found := strings.Cut(label, "×")
	if !found && strings.Contains(label, "^") {
		factor, power = "1", label
	}
	v, err := strconv.ParseFloat(factor, 64)
	if err != nil {
		t.Fatal(err)
	}
	if power == "" {
		return v
	}
	base, exponent, _ := strings.Cut(power, "^")
	b, errBase := strconv.Atoi(base)
	e, errExponent := strconv.Atoi(exponent)
	if errBase != nil || errExponent != nil {
		t.Fatalf("label %q: %v, %v", label, errBase, errExponent)
	}
	return v * math.Pow(float64(b), float64(e))
}

// checkTicks demands marks in order, within the axis, with labels that say
// their values.
func checkTicks(t *rapid.T, got ticks, s span) {
	slack := 1e-9 * math.Max(s.hi-s.lo, 0)
	last, labels := math.Inf(-1), 0
	for _, m := range got.marks {
		if m.Value <= last || m.Value < s.lo-slack || m.Value > s.hi+slack {
			t.Fatalf("mark %g after %g on the axis %v", m.Value, last, s)
		}
		last = m.Value
		if m.Label == "" {
			continue
		}
		labels++
		if v := number(t, m.Label); math.Abs(v-m.Value) > 1e-9*math.Abs(m.Value)+slack {
			t.Fatalf("the mark of %g says %q", m.Value, m.Label)
		}
	}
	if labels < 1 {
		t.Fatalf("no labels on %v: %v", s, got)
	}
}

func TestLinearTicksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Pow(10, rapid.Float64Range(-99, 99).Draw(t, "exponent"))
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 5).Draw(t, "values")
		s := emptySpan()
		for _, v := range values {
			s.cover(v * scale)
		}
		s = s.pad(false, 0.05)
		n := rapid.IntRange(2, 20).Draw(t, "n")
		got := linearTicks(s, n)
		checkTicks(t, got, s)
		if len(got.marks) > n {
			t.Fatalf("%d marks, at most %d asked for", len(got.marks), n)
		}
	})
}

func TestLogTicksProperty(t *testing.T) {
	style := themeFor(1).tick
	rapid.Check(t, func(t *rapid.T) {
		length := vg.Length(rapid.Float64Range(60, 800).Draw(t, "length"))
		space := vg.Length(rapid.Float64Range(15, 30).Draw(t, "space"))
		s := emptySpan()
		if rapid.Bool().Draw(t, "binary") {
			for _, k := range rapid.SliceOfN(rapid.IntRange(-100, 100), 1, 4).Draw(t, "k") {
				s.cover(math.Ldexp(1, k))
			}
			s = s.pad(true, 0.025)
			checkTicks(t, log2Ticks(s, length, style), s)
			return
		}
		for _, e := range rapid.SliceOfN(rapid.Float64Range(-90, 90), 1, 4).Draw(t, "e") {
			s.cover(math.Pow(10, e))
		}
		s = s.pad(true, 0.05)
		checkTicks(t, log10Ticks(s, length, space), s)
	})
}

// TestInksDiffer checks that the series of a page differ in colour and shape
// together, and that the first seven lines differ in shape alone, as grey needs.
func TestInksDiffer(t *testing.T) {
	var entries []entry
	for i := range 28 {
		entries = append(entries, entry{inkKey: inkKey{kind(i % 3), strconv.Itoa(i)}})
	}
	all := inksFor(entries)
	if len(all) != len(entries) {
		t.Fatalf("%d inks for %d entries", len(all), len(entries))
	}
	seen := map[kind][]ink{}
	for _, e := range entries {
		k := all[e.inkKey]
		for i, other := range seen[e.kind] {
			if k.color == other.color && k.marker == other.marker && (e.kind != barKind ||
				k.hatch == other.hatch) {
				t.Errorf("kind %d: series %s looks like series %d of its kind", e.kind, e.name, i)
			}
			if e.kind == lineKind && len(seen[lineKind]) < int(markers) && k.marker == other.marker {
				t.Errorf("series %s has the marker of series %d of its kind", e.name, i)
			}
		}
		seen[e.kind] = append(seen[e.kind], k)
	}
	if first := seen[overlayKind][0]; first.color == seen[barKind][0].color ||
		first.color == seen[lineKind][0].color {
		t.Error("the first overlay has a colour that bars and lines begin with")
	}
}

// TestPadLog: on a logarithmic axis both ends move by the same factor, a share of the decades.
func TestPadLog(t *testing.T) {
	s := span{1, 1e4}.pad(true, 0.25)
	if math.Abs(s.lo-0.1) > 1e-12 || math.Abs(s.hi-1e5) > 1e-6 {
		t.Errorf("1 to 10,000 with a quarter at both ends is %v to %v", s.lo, s.hi)
	}
}

package patterns

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// line returns count comma-separated addresses, the last of them replaced.
func line(count int, last string) string {
	fields := make([]string, count)
	for i := range fields {
		fields[i] = fmt.Sprint(i)
	}
	fields[count-1] = last
	return strings.Join(fields, ",")
}

func TestRoundTrip(t *testing.T) {
	all := append(Structured(), Random(1, 2)...)
	var b bytes.Buffer
	must.Do(t, Write(&b, all))
	again, err := Read(&b, "buffer", Lanes, Words)
	if err != nil || !slices.EqualFunc(all, again, slices.Equal[Pattern]) {
		t.Errorf("read %d patterns of %d (%v)", len(again), len(all), err)
	}
}

// tells says whether an error wraps a kind and names all words.
func tells(err, kind error, words string) bool {
	return errors.Is(err, kind) && !slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		return !strings.Contains(err.Error(), word)
	})
}

func TestReadErrors(t *testing.T) {
	good := line(32, "31") + "\n"
	for text, words := range map[string]string{
		"":                                  "p.txt",
		good + line(31, "7"):                "p.txt:2: 31",
		line(32, "-2"):                      "p.txt:1: lane 31: -2",
		line(32, "12288"):                   "p.txt:1: 12288",
		line(32, "x"):                       `lane 31: "x"`,
		line(32, "1.5"):                     `"1.5"`,
		good + "\n# note\n" + line(33, "7"): "p.txt:4: 33",
		line(32, "99999999999999999999"):    "99999999999999999999",
		good + strings.Repeat("1", longestLine+1): "p.txt:2: 65536",
	} {
		if _, err := Read(strings.NewReader(text), "p.txt", Lanes, Words); !tells(err, ErrPattern, words) {
			t.Errorf("%.40q: %v, want it to name %s", text, err, words)
		}
	}
}

func TestMeasurements(t *testing.T) {
	row := line(33, "105.5")
	m, err := ReadMeasurements(strings.NewReader("# device=x\n"+row+"\n"+row), "m.csv", Words)
	if err != nil || len(m.Patterns) != 2 || m.Columns[0].Cycles[1] != 105.5 ||
		m.Notes[0] != "device=x" || m.Lines[1] != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	named, err := ReadMeasurements(strings.NewReader("a,b,u32_add_cycles,f32_add_cycles\n1,-1,3,4\n"),
		"m.csv", Words)
	if err != nil || named.Lanes != 2 || len(named.Columns) != 2 ||
		named.Columns[1].Name != "f32_add" {
		t.Fatalf("%+v, %v", named, err)
	}
	if _, err := named.Column("u64_add"); !errors.Is(err, ErrMeasurement) {
		t.Errorf("a column that is not there: %v", err)
	}
	for _, c := range []struct {
		text  string
		kind  error
		words string
	}{
		{"# nothing\n", ErrMeasurement, "m.csv"},
		{row + "\n" + line(33, "NaN"), ErrMeasurement, `m.csv:2: "NaN"`},
		{line(33, "0"), ErrMeasurement, `m.csv:1: "0"`},
		{line(33, "-3"), ErrMeasurement, `"-3"`},
		{line(33, "Inf"), ErrMeasurement, "Inf"},
		{line(33, "1e-200"), ErrMeasurement, "1e-200"},
		{line(33, "1e15"), ErrMeasurement, "1e15"},
		{strings.Repeat("-1,", 32) + "5", ErrMeasurement, ""},
		{"a,u32_add_cycles,u32_add_cycles\n", ErrMeasurement, `"u32_add_cycles"`},
		{"a,_cycles\n", ErrMeasurement, `"_cycles"`},
		{line(32, "4"), ErrMeasurement, "32"},
		{line(34, "4"), ErrMeasurement, "34"},
		{"-5," + line(32, "4"), ErrPattern, "lane 0: -5"},
		{"a,cycles,b\n", ErrMeasurement, `"b"`},
		{row + "\n" + strings.Repeat("1", longestLine+1), ErrMeasurement, "m.csv:2: 65536"},
	} {
		if _, err := ReadMeasurements(strings.NewReader(c.text), "m.csv", Words); !tells(err, c.kind, c.words) {
			t.Errorf("%.40q: %v, want %v that names %s", c.text, err, c.kind, c.words)
		}
	}
}

// TestHalf checks that the halves part the rows, and that each kind and family
// of patterns has rows in both.
func TestHalf(t *testing.T) {
	all := append(Structured(), Random(1, 27)...)
	m := &Measurements{Lanes: Lanes, Patterns: all, Columns: []Column{{Name: "cycles"}}}
	for i := range all {
		m.Lines = append(m.Lines, i+1)
		m.Columns[0].Cycles = append(m.Columns[0].Cycles, float64(i+1))
	}
	fitted, judged := m.Half(false), m.Half(true)
	if n := len(fitted.Patterns) + len(judged.Patterns); n != len(all) ||
		len(judged.Patterns) < n*48/100 || len(judged.Patterns) > n*52/100 {
		t.Fatalf("%d and %d of %d rows", len(fitted.Patterns), len(judged.Patterns), len(all))
	}
	for name, half := range map[string]*Measurements{"fitted": fitted, "judged": judged} {
		kinds, families := map[int]int{}, map[int]int{}
		for i, line := range half.Lines {
			if half.Columns[0].Cycles[i] != float64(line) {
				t.Fatalf("%s: row %d has the cycles of another", name, line)
			}
			if random := line - 1 - 5184; random >= 0 {
				kinds[random%int(numKinds)]++
			} else {
				families[(line-1)/9]++
			}
		}
		for kind := range int(numKinds) {
			if kinds[kind] < 150 {
				t.Errorf("%s: %d patterns of kind %d", name, kinds[kind], kind)
			}
		}
		if len(families) < 560 { // of 576: conflict, stride and degree
			t.Errorf("%s: %d families", name, len(families))
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(line(32, "31") + "\n")
	f.Add("# note\n" + line(32, "-1"))
	f.Fuzz(func(t *testing.T, text string) {
		var all []Pattern
		var err error
		allocation.Bound(t, len(text), func() {
			all, err = Read(strings.NewReader(text), "fuzz", Lanes, Words)
		})
		if err != nil {
			if !errors.Is(err, ErrPattern) {
				t.Errorf("%v wraps no ErrPattern", err)
			}
			return
		}
		for _, p := range all {
			if len(p) != Lanes || slices.Max(p) >= Words || slices.Min(p) < Inactive {
				t.Errorf("read %v", p)
			}
		}
	})
}

func FuzzReadMeasurements(f *testing.F) {
	f.Add(line(33, "105.5"))
	f.Add("a,b,u32_add_cycles\n1,-1,3\n")
	f.Fuzz(func(t *testing.T, text string) {
		var m *Measurements
		var err error
		allocation.Bound(t, len(text), func() {
			m, err = ReadMeasurements(strings.NewReader(text), "fuzz", Words)
		})
		if err != nil {
			if !errors.Is(err, ErrPattern) && !errors.Is(err, ErrMeasurement) {
				t.Errorf("%v wraps no error of this package", err)
			}
			return
		}
		for _, c := range m.Columns {
			if len(c.Cycles) != len(m.Patterns) || !(slices.Min(c.Cycles) > 0) {
				t.Errorf("%d patterns, column %s has %v", len(m.Patterns), c.Name, c.Cycles)
			}
		}
	})
}

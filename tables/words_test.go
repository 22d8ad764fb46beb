package tables

import (
	"testing"

	"github.com/atomtune/atomtune/variant"
)

func implementation(t *testing.T, name string) variant.Variant {
	t.Helper()
	v, err := variant.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestWords(t *testing.T) {
	side := func(name string, targets uint64, margin float64) Side {
		s := Side{Targets: targets, Implementation: implementation(t, name)}
		if margin >= 0 {
			s.Margin = &margin
		}
		return s
	}
	cell := func(name string) []*Cell { return []*Cell{{Implementation: implementation(t, name)}} }
	targets := []uint64{1, 4096}
	for _, c := range []struct {
		want   string
		rows   [][]*Cell
		breaks []BreakEven
	}{
		{"nothing can run", [][]*Cell{{nil}, {nil}}, nil},
		{"sort wins everywhere", [][]*Cell{cell("sort"), cell("sort")}, nil},
		{"plain atomics win everywhere from 4,096 targets on", [][]*Cell{{nil}, cell("naive")}, nil},
		{"copies per thread win up to 1 target, sort from 2 (0.0 % behind just before, 1.0 % ahead just after)",
			[][]*Cell{cell("threadprivate"), cell("sort")}, []BreakEven{{0, side("threadprivate", 1, 0),
				side("sort", 2, 0.01)}}},
		{"private copies win up to 8 targets, match from 9 (a near tie), private copies after sr from 11 (20 % behind just before, " +
			"where the former can still run), segmented reduction from 2,000 (9.9 % ahead just after, unable to run before), " +
			"copies per thread from 3,000 (0.0 % behind just before, 1.0 % ahead just after)",
			[][]*Cell{cell("private:r=8,pad=1"), cell("sr")}, []BreakEven{
				{0, side("private:r=8,pad=1", 8, 0.009), side("match", 9, 0.0099)},
				{0, side("match", 10, 0.2), side("private+sr", 11, -1)},
				{0, side("private+sr", 1999, -1), side("segreduce", 2000, 0.0994)},
				{0, side("segreduce", 2900, 0), side("threadprivate", 3000, 0.01)},
				{1, side("segreduce", 1, 0), side("sort", 2, 0.01)},
			}},
	} {
		table := Table{Rows: c.rows, BreakEvens: c.breaks}
		if have := table.words(targets, 0); have != c.want {
			t.Errorf("%q, want %q", have, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{0: "0.0 %", 0.0994: "9.9 %", 0.0996: "10 %",
		12.345: "1,235 %"} {
		if have := percent(x); have != want {
			t.Errorf("%v prints as %s, want %s", x, have, want)
		}
	}
	for x, want := range map[float64]string{1: "1", 9.876: "9.88", 99.99: "100", 1234.5: "1,235"} {
		if have := short(x); have != want {
			t.Errorf("%v prints as %s, want %s", x, have, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, 1234.56: 1235, 0.000123456: 0.0001235} {
		if have := rounded(x); have != want {
			t.Errorf("%v rounds to %v, want %v", x, have, want)
		}
	}
}

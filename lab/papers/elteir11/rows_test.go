package elteir11

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
)

// made makes up points at those places, at which the coordinator takes 1 us
// and, from one to the next, as much more as rises says.
func made(at []int, rises float64, systemUS ...float64) comparisons {
	var all comparisons
	for i, us := range systemUS {
		software := 1 + rises*float64(i)
		all = append(all, comparison{at: at[i], systemUS: us * software, softwareUS: software})
	}
	return all
}

// TestRowsDiscriminate makes up the times behind Figures 4, 8, 9, 11 and 12 and
// section 5.
func TestRowsDiscriminate(t *testing.T) {
	counts, points := workgroupCounts(), []int{512, 1024, 2048, 4096, 8192}
	rows := func(first, last float64, micro, copying comparisons, part float64, model []modelTimes,
		crossover float64, kmeans, scalar comparisons) []papers.Row {
		var f findings
		f.slowerRows(first, last)
		f.aloneRows(micro)
		f.copyRows(copying, micro)
		f.divergenceRow(part)
		f.modelRows(model, crossover)
		f.pointRows(kmeans)
		f.scalarRows(scalar)
		for i := range f.Rows { // several have one name
			f.Rows[i].Item = string(rune('a'+i)) + " " + f.Rows[i].Item
		}
		return f.Rows
	}
	flat := func(at []int) comparisons {
		return made(at, 0,
			[]float64{9, 9, 9, 9, 9, 9, 9}[:len(at)]...)
	}
	micro := made(counts, 0.1, 0.3, 0.4, 0.5, 0.6, 1, 1.4, 2)
	for i := range micro { // linear in the workgroups from 32 on
		micro[i].systemUS = 1 + float64(micro[i].at)/25
		micro[i].softwareUS = micro[i].systemUS / []float64{0.3, 0.4, 0.5, 0.6, 1.6, 1.8, 2}[i]
	}
	model := func(published, serial, corrected, measured float64) []modelTimes {
		return []modelTimes{{groups: 2}, {128, published, serial, corrected, measured}}
	}
	paperstest.Discriminates(t, [][]papers.Row{
		rows(3, 70, micro, made(counts, 0, 1, 2, 3, 4, 5, 6, 7), 0.3, model(1400, 1500, 1.9, 2), 34,
			made(points, 0, 15, 20, 30, 50, 100), made(counts, 0, 0.4, 0.6, 0.9, 1, 1.3, 1.5, 2)),
		rows(9, 9, flat(counts), flat(counts), 2, model(2, 9, 0, 0), 90,
			made(points, 0, 90, 90, 90, 90, 67), made(counts, 0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 0.92)),
		rows(9, 9, made(counts, 1, 2, 2, 2, 2, 2, 2, 2), flat(counts), 2, model(2, 9, 0, 0), 90,
			flat(points), flat(counts)),
	})
}

// TestApplicationRowsDiscriminate makes up speedups of Figures 10 and 13.
func TestApplicationRowsDiscriminate(t *testing.T) {
	rows := func(straight, cached comparisons, short float64) []papers.Row {
		var f findings
		f.productRows(straight, cached, comparison{systemUS: short, softwareUS: 1})
		return f.Rows
	}
	sizes := products()
	rising, flat := made(sizes, 0, 0.6, 1, 2, 3, 4, 5), made(sizes, 0, 3, 3, 3, 3, 3, 13)
	paperstest.Discriminates(t, [][]papers.Row{
		rows(rising, made(sizes, 0, 1, 2, 3, 4, 5, 300), 13), rows(flat, flat, 30),
		rows(flat, rising, 13),
		rows(rising, made(sizes, 0, 0.6, 1, 1, 1, 1, 13), 13),
	})
	matched := func(first, fourth float64) []papers.Row {
		var f findings
		few := made(matchGroups, 0, first, first, first)
		f.matchRows([queries]comparisons{few, few, few, made(matchGroups, 0, fourth, fourth, fourth)},
			papers.Number(1))
		return f.Rows
	}
	paperstest.Discriminates(t, [][]papers.Row{matched(1.5, 0.3), matched(0.9, 0.9)})
}

// TestOtherDevice: fences that take 40 times as long break the scalar product's
// ratio at 2 workgroups, and a CompletePath as fast as the FastPath the
// bandwidths of Figure 1.
func TestOtherDevice(t *testing.T) {
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	other, paths := *d, *d.Paths
	paths.Fence.Value *= 40
	other.Paths, other.Memory.AtomicRate.Value = &paths, d.Memory.DRAMRate.Value
	own, r := newRadeon(t.Context(), d, papers.Options{}),
		newRadeon(t.Context(), &other, papers.Options{})
	broken := func(run func(*radeon, *findings)) (n int) {
		var rows [2][]papers.Row
		for i, on := range []*radeon{own, r} {
			var f findings
			if run(on, &f); on.err != nil {
				t.Fatal(on.err)
			}
			rows[i] = f.Rows
		}
		for i, row := range rows[0] {
			n += papers.One(row.Holds && !rows[1][i].Holds)
		}
		return n
	}
	if scalar, bandwidth := broken((*radeon).figure12), broken((*radeon).figure1); scalar == 0 ||
		bandwidth < 2 {
		t.Errorf("%d and %d rows are broken", scalar, bandwidth)
	}
}

// TestMatching: every match is one update, and every character one load.
func TestMatching(t *testing.T) {
	for q, want := range matches {
		k := matching(64, found(q, 1), 100)
		updates, loads := 0, 0
		for _, g := range k.Groups {
			for _, s := range g[0] {
				updates += len(s.Updates)
				loads += s.Before.Loads * 64
			}
		}
		if updates != want || loads != matchBytes {
			t.Errorf("query %d: %d updates and %d loads", q+1, updates, loads)
		}
	}
}

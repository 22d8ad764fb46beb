package elteir11

import (
	"cmp"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/hwsim/coordinator/experiment"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/paperstest"
	"github.com/atomtune/atomtune/speedup/elteir/equations"
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
	rows := func(first, last float64, micro, copying comparisons, part comparison, model []modelTimes,
		crossover float64, kmeans, scalar comparisons) []papers.Row {
		var f findings
		f.slowerRows(first, last)
		f.aloneRows(micro)
		f.copyRows(copying, micro)
		f.divergenceRows(comparison{systemUS: 2, softwareUS: 1}, part)
		f.modelRows(model, crossover)
		f.pointRows("", kmeans, 67)
		f.scalarRows(scalar, scalar, 1)
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
		micro[i].softwareUS = 0.8 + float64(micro[i].at)/100
		micro[i].systemUS = max(float64(micro[i].at)/40, []float64{0.4, 0.45, 0.5, 0.6, 0, 0, 0}[i]*micro[i].softwareUS)
	}
	model := func(published, serial, corrected, measured float64) []modelTimes {
		return []modelTimes{{groups: 2, published: published / 3, corrected: corrected / 3, measured: measured / 3},
			{128, published, serial, corrected, measured}}
	}
	slowly := model(1400, 9, 0, 2)
	slowly[0].measured = 1.5
	quarter, all := comparison{systemUS: 0.5, softwareUS: 1}, comparison{systemUS: 2, softwareUS: 1}
	paperstest.Discriminates(t, [][]papers.Row{
		rows(3, 70, micro, made(counts, 0, 1, 2, 3, 4, 5, 6, 7), quarter, model(1400, 1500, 1.9, 2), 34,
			made(points, 0, 15, 20, 30, 50, 70), made(counts, 0, 0.4, 0.45, 0.5, 0.55, 0.6, 0.8, 0.9)),
		rows(9, 9, flat(counts), flat(counts), all, model(2, 9, 0, 0), 90,
			made(points, 0, 90, 90, 90, 90, 90), made(counts, 0, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6, 9)),
		rows(9, 9, made(counts, 1, 2, 2, 2, 2, 2, 2, 2), flat(counts), comparison{softwareUS: 2}, slowly, 90,
			flat(points), flat(counts)),
	})
}

// TestApplicationRowsDiscriminate makes up speedups of Figures 10 and 13.
func TestApplicationRowsDiscriminate(t *testing.T) {
	rows := func(straight, cached comparisons) []papers.Row {
		var f findings
		f.productRows("", straight, cached, 13)
		return f.Rows
	}
	sizes := products()
	rising, flat := made(sizes, 0, 0.6, 1, 2, 3, 4, 5), made(sizes, 0, 3, 3, 3, 3, 3, 13)
	paperstest.Discriminates(t, [][]papers.Row{
		rows(rising, made(sizes, 0, 1, 2, 3, 4, 5, 300)), rows(flat, flat), rows(flat, rising),
	})
	matched := func(first, lost, fourth float64) []papers.Row {
		var f findings
		few := made(matchGroups, 0, first, first, first)
		all := [queries]comparisons{few, few, made(matchGroups, 0, first, first, lost),
			made(matchGroups, 0, fourth, fourth, fourth)}
		f.matchRows(all, all, papers.Number(1))
		return f.Rows
	}
	paperstest.Discriminates(t, [][]papers.Row{matched(1.5, 0.9, 0.3), matched(1.5, 1.5, 0.3),
		matched(0.9, 0.9, 0.9)})
	if rows := matched(1.5, 1.5, 0.3); rows[1].Holds {
		t.Errorf("all runs are almost all: %+v", rows[1])
	}
}

// TestGapsClose: where the cause of a gap is taken away, the paper's statement holds. ATOMTUNE_FULL
// includes the applications that take long.
func TestGapsClose(t *testing.T) {
	runs := map[string]func(*radeon, *findings){
		"figure11": (*radeon).figure11, "figure12": (*radeon).figure12, "section5": (*radeon).section5,
	}
	if golden.Full() {
		runs["figure10"], runs["figure13"] = (*radeon).figure10, (*radeon).figure13
	}
	for name, run := range runs {
		r, f := radeonOf(t), findings{}
		if run(r, &f); r.err != nil || f.causes == 0 || len(f.open) > 0 {
			t.Errorf("%s: of %d gaps %q do not close, %v", name, f.causes, f.open, r.err)
		}
	}
}

// TestPerWavefront: one lane of each wavefront adds what all would have added, and no two wavefronts get
// places that overlap.
func TestPerWavefront(t *testing.T) {
	before, after := kmeansWork()
	all := working(5, 3, before, after)
	one, r := perWavefront(all), radeonOf(t)
	for _, how := range []coordinator.Atomics{coordinator.System, coordinator.Software} {
		want, got := r.launch(all, how), r.launch(one, how)
		slices.SortFunc(got.History, func(a, b coordinator.Record) int { return cmp.Compare(a.Old, b.Old) })
		next := uint32(0)
		for _, h := range got.History {
			if h.Old != next {
				t.Errorf("atomics %d: a wavefront gets places from %d on, after %d", how, h.Old, next)
			}
			next += h.Operand
		}
		if r.err != nil || len(got.History) != 15 || next != want.Final[0] || got.Final[0] != next {
			t.Errorf("atomics %d: %d additions make %d, want %d, %v", how, len(got.History), next, want.Final, r.err)
		}
	}
	if s := one.Groups[0][0][1]; s.After != after || s.Before.Further != experiment.LocalAdd(64) {
		t.Errorf("%+v", s)
	}
}

// TestKernels: the kernels of the applications have the accesses that the paper counts, and the scalar
// product its ALU:Fetch ratio.
func TestKernels(t *testing.T) {
	r := radeonOf(t)
	kernelOf := func(before, after coordinator.Work) *coordinator.Kernel { return working(1, 1, before, after) }
	for name, c := range map[string]struct {
		k    *coordinator.Kernel
		want int
	}{
		"matrix multiplication": {product(products()[0], productIterations), productComplete},
		"k-means":               {kernelOf(kmeansWork()), kmeansComplete},
		"scalar product":        {kernelOf(r.scalarWork()), scalarComplete},
	} {
		if got := total(c.k, 1); got != float64(c.want) {
			t.Errorf("%s: %v accesses, want %d", name, got, c.want)
		}
	}
	w, _ := r.scalarWork()
	if ratio := r.form.ALUFetch(equations.KernelWork{Loads: float64(w.Loads),
		Cycles: float64(w.Cycles)}); !papers.Within(ratio, scalarALUFetch, 1.01) {
		t.Errorf("ALU:Fetch ratio %v, want %v", ratio, scalarALUFetch)
	}
}

// radeonOf is the device of the paper.
func radeonOf(t *testing.T) *radeon {
	t.Helper()
	d, err := device.Builtin("hd5870")
	if err != nil {
		t.Fatal(err)
	}
	return newRadeon(t.Context(), d, papers.Options{Seed: 1, Progress: func(_, _ float64) {}})
}

// TestOtherDevice: fences that take 40 times as long break the scalar product's
// ratio at 2 workgroups, and a CompletePath as fast as the FastPath the
// bandwidths of Figure 1.
func TestOtherDevice(t *testing.T) {
	own := radeonOf(t)
	r := own.changed(func(d *device.Profile) {
		paths := *d.Paths
		paths.Fence.Value *= 40
		d.Paths, d.Memory.AtomicRate.Value = &paths, d.Memory.DRAMRate.Value
	})
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
		k := matching(64, found(q, matchBytes, 1), 100)
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

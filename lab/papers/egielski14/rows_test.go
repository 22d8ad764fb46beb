package egielski14

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/papers"
)

// madeUp are inputs of a benchmark with names and warp levels alone.
func madeUp(b benchmark) []input {
	var all []input
	switch b.name {
	case "SpMV":
		for _, m := range matrices {
			all = append(all, input{name: m.name, represents: m.represents, motivates: m.motivates})
		}
	default:
		for i, p := range pictures() {
			all = append(all, input{name: p.name, represents: true,
				levels: [3]float64{float64(i) / 36, 0, 1}})
		}
	}
	return all
}

// thrown makes up the times of a job: forms that differ by factors and inputs
// that scatter about them, by so much. One input in three is chosen wrongly in
// some of the throws.
func thrown(r *rand.Rand, j job) measured {
	m := measured{job: j, inputs: madeUp(j.benchmark)}
	factors, spread := make([]float64, len(j.forms)), 1.5
	if r.IntN(3) == 0 {
		spread = 0.03 // all forms are nearly as fast
	}
	for f := range factors {
		factors[f] = math.Exp(spread * r.NormFloat64())
	}
	scatter, wrong := spread*r.Float64(), r.IntN(2) == 0
	for range m.inputs {
		us := make([]float64, len(j.forms))
		for f := range us {
			us[f] = factors[f] * math.Exp(scatter*r.NormFloat64())
		}
		m.us = append(m.us, us)
		chosen := slices.Index(us, slices.Min(us))
		if wrong && r.IntN(3) == 0 {
			chosen = r.IntN(len(us))
		}
		m.chosen = append(m.chosen, chosen)
	}
	return m
}

// TestRowsDiscriminate: each row holds for some made-up times and does not for
// others.
func TestRowsDiscriminate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	throw := func(jobs []job) []measured {
		var all []measured
		for _, j := range jobs {
			all = append(all, thrown(r, j))
		}
		return all
	}
	seen := map[string][2]bool{}
	note := func(part string, rows []papers.Row) {
		for _, row := range rows {
			s := seen[part+row.Item]
			if row.Holds {
				s[1] = true
			} else {
				s[0] = true
			}
			seen[part+row.Item] = s
		}
	}
	for range 1500 {
		histograms, products := throw(on(imageHistograms()...)), throw(on(matrixProduct()))
		motivating := []measured{products[0].narrowed(func(in input) bool { return in.motivates }),
			products[1].narrowed(func(in input) bool { return in.motivates })}
		var f findings
		f.motivationRows(motivating)
		f.improvementRows(&motivating[0])
		f.reductionRows(&motivating[1])
		note("spmv ", f.Rows)
		f = findings{}
		f.formRows(&products[0], &products[1])
		f.productTableRows(products)
		note("all spmv ", f.Rows)
		for d, gpu := range bothDevices {
			f = findings{}
			levels := histograms[3*d : 3*d+3]
			f.histogramRows(gpu, levels)
			f.collisionRows(gpu, levels)
			f.sizeRows(gpu, &levels[0])
			if gpu == kepler {
				f.cacheRows(levels)
			}
			note(gpu+" ", f.Rows)
		}
		f = findings{}
		f.summaryRows(summaries(r))
		note("summary ", f.Rows)
	}
	for item, s := range seen {
		if !s[0] || !s[1] {
			t.Errorf("%s: fails %v, holds %v", item, s[0], s[1])
		}
	}
	if len(seen) != 80 {
		t.Errorf("%d rows", len(seen))
	}
}

// summaries makes up a summary of all benchmarks.
func summaries(r *rand.Rand) []summarised {
	scale := 0.1 + 0.95*r.Float64()
	histogramTop, top, reduced := math.Exp(3*r.Float64()), math.Exp(3*r.Float64()), 20*r.Float64()
	var all []summarised
	for _, gpu := range bothDevices {
		for _, b := range []string{"block-private", "warp-private", "no-private", "SpMV", "merge sort",
			"page views", "summation"} {
			least := scale * math.Exp(0.2*r.NormFloat64())
			most := least * (1 + top*r.Float64())
			if strings.HasSuffix(b, "-private") || b == "page views" {
				most = least * (1 + histogramTop*(1+r.Float64()))
			}
			all = append(all, summarised{b, gpu, extent{least, most, (least + most) / 2}, reduced *
				r.Float64()})
		}
	}
	return all
}

package fit

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
)

// launch sets what a call costs before its kernels do anything, and the host's re-layout.
func (b *builder) launch() error {
	further := func(r reading) []float64 { return []float64{1, r.number("launches") - 1} }
	empty := b.regress(b.rows.need("call", "empty_kernels", ""), further,
		"call empty_kernels of two numbers of launches", "call.empty_kernels")
	first, next := empty.coefficient(0), empty.coefficient(1)
	b.put("launch.first", first.from("call", "empty_kernels over the number of launches: the first"))
	b.put("launch.next", next.from("call",
		"empty_kernels over the number of launches: each further one"))
	b.put("launch.gap", b.gap())
	b.put("launch.clear_free", b.clearFree(first.value, next.value))
	b.put("host.relayout", b.relayout())
	return nil
}

// gap is what lies between dependent kernels that the host has enqueued long
// before: what each further one adds, less what it spins.
func (b *builder) gap() estimate {
	rows := b.rows.rows("call", "dependent_kernels", "")
	spin := b.rows.rows("call", "dependent_kernel_spin", "")
	if len(rows) < 2 || len(spin) == 0 {
		return assume(1, "assumed", "kernels behind each other were not measured")
	}
	l := b.regress(rows, over("launches"), "", "call.dependent_kernels")
	return l.coefficient(1).less(middle("call.dependent_kernel_spin", spin)).from("call",
		"dependent_kernels over their number: each further one, less dependent_kernel_spin")
}

// clearFree is the largest clear before an empty kernel that takes less than
// half a launch more than the kernel alone.
func (b *builder) clearFree(first, next float64) estimate {
	rows := slices.Clone(b.rows.rows("call", "clear_kernel", ""))
	if len(rows) == 0 {
		return assume(0, "assumed", "clears were not measured: each is taken to cost a launch")
	}
	bytes := func(r reading) float64 { return r.number("bytes") }
	slices.SortFunc(rows, func(x, y reading) int { return cmp.Compare(bytes(x), bytes(y)) })
	e := estimate{exact: true}
	for _, r := range rows {
		e.interval.High = r.number("bytes")
		if r.Value > first+float64(next/2) {
			break
		}
		e.value, e.interval.Low = r.number("bytes"), r.number("bytes")
	}
	return e.from("call", "clear_kernel: the largest clear that takes less than half a launch; the "+
		"next one up to %.0f bytes takes more", e.interval.High)
}

// relayout is the host's part of ss: the geometric mean over numbers of targets.
func (b *builder) relayout() estimate {
	rows := b.rows.rows("call", "host_relayout", "")
	if len(rows) == 0 {
		return assume(17, "assumed", "the host was not measured; 17 ns an update on one x86-64 server "+
			"core")
	}
	mean := func(of func(reading) float64) float64 {
		sum := 0.0
		for _, r := range rows {
			sum += portable.Log(of(r))
		}
		return portable.Exp(sum / float64(len(rows)))
	}
	e := estimate{value: mean(func(r reading) float64 { return r.Value }), once: once(rows)}
	e.interval.Low = mean(func(r reading) float64 { return r.Low })
	e.interval.High = mean(func(r reading) float64 { return r.High })
	return e.from("call", "host_relayout: geometric mean over the numbers of targets")
}

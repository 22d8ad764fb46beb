package gpu_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/gpu"
)

// BenchmarkGPU times calls on buffers as their caller sees them, with launch and wait: by plain
// atomics, and by what is chosen for an H200.
func BenchmarkGPU(b *testing.B) {
	updates := 1 << 12
	if real {
		updates = 1 << 22
	}
	d := open(b)
	for _, kind := range []string{"constant:k=256", "zipf:k=65536,s=1.2", "uniform:k=256",
		"uniform:k=1048576"} {
		spec, err := synth.Parse(fmt.Sprintf("%s,n=%d,seed=1", kind, updates))
		if err != nil {
			b.Fatal(err)
		}
		index, err := synth.Generate(spec)
		if err != nil {
			b.Fatal(err)
		}
		for name, o := range map[string]gpu.Options{
			"naive": {Implementation: "naive"}, "chosen": {Profile: "h200"},
		} {
			b.Run(fmt.Sprintf("stream=%s/implementation=%s", spec, name), func(b *testing.B) {
				repeat(b, d, index, int(spec.K), o)
			})
		}
	}
}

// repeat times one call again and again.
func repeat(b *testing.B, d *gpu.Device, index []uint32, bins int, o gpu.Options) {
	ctx := b.Context()
	at, err := gpu.Upload(ctx, d, index)
	if err != nil {
		b.Fatal(err)
	}
	values, err := gpu.Upload(ctx, d, make([]float32, len(index)))
	if err != nil {
		b.Fatal(err)
	}
	out, err := gpu.Zeros[float32](ctx, d, bins)
	if err != nil {
		b.Fatal(err)
	}
	o.Chosen = new(gpu.Choice)
	if err := out.ScatterAdd(ctx, at, values, o); err != nil { // loads the kernels, and chooses
		b.Fatal(err)
	}
	b.Logf("%s in %s", o.Chosen.Implementation, o.Chosen.Launch)
	for b.Loop() {
		if err := out.ScatterAdd(ctx, at, values, o); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(index)), "ns/update")
	for _, err := range []error{at.Free(ctx), values.Free(ctx), out.Free(ctx)} {
		if err != nil {
			b.Error(err)
		}
	}
}

package gpu_test

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/bindings/gpu"
)

// Votes of float weights for five targets.
func ExampleScatterAdd() {
	votes := make([]float32, 5)
	targets := []uint32{4, 0, 4, 2, 4}
	weights := []float32{0.5, 1, 0.25, 2, 0.125}
	err := gpu.ScatterAdd(context.Background(), votes, targets, weights)
	fmt.Println(votes, err)
	// Output: [1 0 2 0 0.875] <nil>
}

// How often each byte occurs.
func ExampleHistogram() {
	counts := make([]uint32, 256)
	var bytes []uint32
	for _, b := range []byte("hello") {
		bytes = append(bytes, uint32(b))
	}
	if err := gpu.Histogram(context.Background(), counts, bytes); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(counts['h'], counts['l'])
	// Output: 1 2
}

// Each update of a list takes the next free place in the list of its target.
func ExampleFetchAdd() {
	lengths, places := make([]uint32, 3), make([]uint32, 4)
	targets, ones := []uint32{1, 2, 1, 1}, []uint32{1, 1, 1, 1}
	err := gpu.FetchAdd(context.Background(), lengths, places, targets, ones)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(lengths, "update 1 got place", places[1])
	// Output: [0 3 1] update 1 got place 0
}

// Two calls on the same indices, with sums that stay on the GPU in between.
func ExampleBuffer() {
	ctx := context.Background()
	sums, err := twice(ctx, []uint32{3, 1, 3}, []float64{1, 10, 100})
	fmt.Println(sums, err)
	// Output: [0 20 0 202] <nil>
}

func twice(ctx context.Context, index []uint32, values []float64) ([]float64, error) {
	d, err := gpu.Open(0)
	if err != nil {
		return nil, err
	}
	defer d.Close() // frees the buffers too
	at, err := gpu.Upload(ctx, d, index)
	if err != nil {
		return nil, err
	}
	added, err := gpu.Upload(ctx, d, values)
	if err != nil {
		return nil, err
	}
	out, err := gpu.Zeros[float64](ctx, d, 4)
	if err != nil {
		return nil, err
	}
	for range 2 {
		if err := out.ScatterAdd(ctx, at, added, gpu.Options{Calls: 2}); err != nil {
			return nil, err
		}
	}
	sums := make([]float64, out.Len())
	return sums, out.Read(ctx, sums)
}

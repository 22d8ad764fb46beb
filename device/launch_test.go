package device

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestParseLaunches: ranges double from their first number to their last, and a launch is a range of one.
func TestParseLaunches(t *testing.T) {
	for text, want := range map[string][]Launch{
		"264x512": {{264, 512, 0}}, "1x32x4": {{1, 32, 4}}, "2147483647x1024x1": {{MaxBlocks, 1024, 1}},
		"264-264x512x2": {{264, 512, 2}},
		"132-600x256x1-4": {{132, 256, 1}, {132, 256, 2}, {132, 256, 4}, {264, 256, 1}, {264, 256, 2},
			{264, 256, 4}, {528, 256, 1}, {528, 256, 2}, {528, 256, 4}, {600, 256, 1}, {600, 256, 2},
			{600, 256, 4}},
		"1x256-1024": {{1, 256, 0}, {1, 512, 0}, {1, 1024, 0}},
	} {
		if got, err := ParseLaunches(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if got, err := ParseLaunch(text); (err == nil) == strings.Contains(text, "-") || err == nil && got != want[0] {
			t.Errorf("one launch of %s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "264", "264x", "0x256", "264x0", "264x512x0", "264x512x3", "264x512x16",
		"1x2x4x8", "-1x32", "+1x32", "01x32", "1X32", "2147483648x32", "1 x 32", "2-1x32", "1-x32", "-2x32",
		"1--2x32", "1-2-3x32", "0-2x32", "1-2", "1x32x1-3", "1-2x32x3"} {
		if got, err := ParseLaunches(text); !errors.Is(err, ErrLaunch) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

// TestFixedShape: what is fixed stands, and the rest follows it.
func TestFixedShape(t *testing.T) {
	for _, c := range []struct {
		impl    string
		bins    uint64
		updates uint64
		fixed   Launch
		want    Shape
	}{
		{"naive", 1 << 20, 1 << 24, Launch{264, 512, 4}, Shape{264, 512, 0, 4, 4}},
		{"naive", 1 << 20, 1000, Launch{264, 512, 4}, Shape{264, 512, 0, 4, 4}},
		{"naive", 1 << 20, 1 << 24, Launch{100000, 32, 0}, Shape{100000, 32, 0, 1, 32}},
		{"naive", 1 << 20, 1 << 24, Launch{Threads: 1024}, Shape{264, 1024, 0, 1, 2}},
		{"private", 50000, 1 << 24, Launch{Threads: 256}, Shape{132, 256, 200000, 1, 1}},
		{"private", 50000, 1 << 24, Launch{Blocks: 7}, Shape{7, 1024, 200000, 1, 1}},
		{"threadprivate", 16, 1 << 24, Launch{Threads: 512}, Shape{528, 512, 32768, 1, 4}},
		{"sort", 16, 1 << 24, Launch{}, Shape{}},
	} {
		p, err := Builtin("h200")
		if err != nil {
			t.Fatal(err)
		}
		v := parsed(t, c.impl)
		if got := p.Limits().Shape(v, U32, c.bins, c.updates, c.fixed); got != c.want {
			t.Errorf("%s, %v: %+v, want %+v", c.impl, c.fixed, got, c.want)
		}
		if err := p.CanLaunch(v, U32, c.bins, c.fixed); err != nil {
			t.Error(err)
		}
	}
}

func TestCanLaunch(t *testing.T) {
	for _, c := range []struct {
		device, impl string
		fixed        Launch
	}{
		{"h200", "naive", Launch{1, 2048, 0}}, {"hd5870", "naive", Launch{1, 512, 0}},
		{"hd5870", "naive", Launch{1, 32, 0}}, // half a warp
		{"h200", "segreduce", Launch{Unroll: 1}}, {"hd5870", "coordinator", Launch{Blocks: 1}},
		{"h200", "threadprivate", Launch{Unroll: 2}},
		{"h200", "threadprivate", Launch{Threads: 1024}}, // whose copies take more than shared memory has
	} {
		p, err := Builtin(c.device)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CanLaunch(parsed(t, c.impl), U32, 64, c.fixed); !errors.Is(err, ErrCannot) {
			t.Errorf("%s on %s, %v: %v", c.impl, c.device, c.fixed, err)
		}
		if err := p.CanLaunch(parsed(t, c.impl), U32, 64, Launch{Unroll: 5}); !errors.Is(err, ErrLaunch) {
			t.Error(err)
		}
	}
}

// TestWarps: a block's last warp counts, whole or not.
func TestWarps(t *testing.T) {
	for threads, want := range map[int]uint64{1: 3, 32: 3, 33: 6, 64: 6, 65: 9} {
		if got := (Shape{Blocks: 3, Threads: threads}).Warps(32); got != want {
			t.Errorf("3 blocks of %d threads: %d warps, want %d", threads, got, want)
		}
	}
}

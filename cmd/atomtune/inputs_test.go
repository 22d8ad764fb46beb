package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/prediction"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// inputs writes a set of small sound inputs into a new working directory.
func inputs(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, folder := range []string{"run", "measured"} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, "indices.npy", npy("<u4", 4096, encode(hot(4096, 64))))
	write(t, "image.png", luminance(t))
	write(t, "matrix.mtx", []byte(matrix()))
	write(t, "graph.npz", stored(datasetsFolder, "testdata/arrays/graph.npz"))
	write(t, "edges.parquet", stored(datasetsFolder, "columnar/testdata/rust.parquet"))
	write(t, "edges.txt", []byte("# two nodes a line\n0 1\n1 2\n1 3\n2 0\n"))
	write(t, "keys.csv", []byte("city,size\nRome,1\nBonn,2\nRome,3\n"))
	write(t, "indices.txt.gz", zip(t, []byte("3\n3\n7\n")))
	write(t, "patterns.txt", []byte("# three patterns\n"+conflicting+"\n\n"+strings.Repeat("7,8,40,",
		10)+"7,8\n"+strings.Repeat("-1,", 31)+"-1\n"))
	write(t, "measurements.csv", measurements(t, 1200, "cycles"))
	// The run is of a device that is an H200 in all that simple mechanisms make of it.
	for _, name := range []string{"readings.csv", "scratchpad.csv", "scratchpad_spread.csv", "calls.csv"} {
		write(t, "run/"+name, stored(runFolder, name))
	}
	write(t, "rows.csv", []byte(rowScatters()))
	for name, content := range measuredFiles() {
		write(t, name, content)
	}
	write(t, "tree.json", embeddedTree(t))
	write(t, "recorded.csv.gz", zip(t, measurements(t, 400, "f32_add_cycles", "u32_store_cycles",
		"u32_inc_cycles")))
}

// datasetsFolder and runFolder are absolute, since tests change the working directory.
var (
	datasetsFolder = filepath.Join(testdata, "../../../datasets")
	runFolder      = filepath.Join(testdata, "../../../calibration/testdata/run")
)

// stored is a file of the tree, which NumPy, Apache Arrow or atomprobe wrote.
func stored(folder, name string) []byte {
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		panic(err) // a committed file
	}
	return data
}

// embeddedTree is the file of a decision tree.
func embeddedTree(t *testing.T) []byte {
	t.Helper()
	tree, err := dispatch.Embedded("h200")
	if err != nil {
		t.Fatal(err)
	}
	data, err := tree.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// conflicting is the fifth worked example of [gomezluna13] section 2.1.2.
const conflicting = "0,1024,2048,32,1056,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

// measurements returns rows whose cycles are those of f32 adds on a GeForce GTX
// 580, the same in each column.
func measurements(t *testing.T, rows int, columns ...string) []byte {
	t.Helper()
	params, err := latency.ForDevice(profile(t, "gtx580"), device.OpAdd, device.F32)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for l := range patterns.Lanes {
		fmt.Fprintf(&b, "lane%d,", l)
	}
	b.WriteString(strings.Join(columns, ",") + "\n")
	all := patterns.Structured()
	for i := range rows {
		p := all[i*len(all)/rows]
		got, err := latency.Warp(p, params)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p {
			fmt.Fprintf(&b, "%d,", a)
		}
		b.WriteString(strings.TrimSuffix(strings.Repeat(prediction.Plain(got.Cycles)+",", len(columns)),
			",") + "\n")
	}
	return b.Bytes()
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(name, content, 0o644); err != nil {
		t.Fatal(err)
	}
}

// hot returns n targets of k, of which each second is target 0.
func hot(n, k int) []uint32 {
	rng := rand.New(rand.NewPCG(1, 2))
	list := make([]uint32, n)
	for i := 0; i < n; i += 2 {
		list[i] = uint32(rng.IntN(k))
	}
	return list
}

func encode[T any](list []T) []byte {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, list); err != nil {
		panic(err) // only for types without a fixed size
	}
	return b.Bytes()
}

// npy returns a NumPy file whose header promises n elements.
func npy(dtype string, n int, data []byte) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }", dtype, n)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	return append(append(b, header...), data...)
}

func zip(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// luminance returns a picture of a grey ramp.
func luminance(t *testing.T) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 64, 32))
	for y := range 32 {
		for x := range 64 {
			img.SetGray(x, y, color.Gray{Y: uint8(2*x + y)})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// matrix returns a tridiagonal pattern of 100 rows.
func matrix() string {
	var b strings.Builder
	for i := 1; i <= 100; i++ {
		for j := max(1, i-1); j <= min(100, i+1); j++ {
			fmt.Fprintf(&b, "%d %d\n", i, j)
		}
	}
	return "%%MatrixMarket matrix coordinate pattern general\n100 100 298\n" + b.String()
}

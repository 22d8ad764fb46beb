package datasets

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// benchUpdates is the length of the streams that the benchmarks read.
const benchUpdates = 1 << 20

// benchInput writes random indices below 10^6 in a format.
func benchInput(format string) string {
	random := rand.New(rand.NewPCG(1, 2))
	index := func() uint32 { return random.Uint32N(1_000_000) }
	var b bytes.Buffer
	switch format {
	case "npy":
		b.WriteString(npyFile(1, "'<u4'", "False", fmt.Sprintf("(%d,)", benchUpdates), ""))
	case "csv":
		b.WriteString("user,item,stamp\n")
	case "mtx":
		fmt.Fprintf(&b, "%%%%MatrixMarket matrix coordinate real general\n1000000 1000000 %d\n",
			benchUpdates)
	case "image":
		fmt.Fprintf(&b, "P5 %d 1 65535\n", benchUpdates)
	}
	for range benchUpdates {
		switch format {
		case "npy", "u32":
			b.Write(binary.LittleEndian.AppendUint32(nil, index()))
		case "u64":
			b.Write(binary.LittleEndian.AppendUint64(nil, uint64(index())))
		case "text":
			fmt.Fprintf(&b, "%d\n", index())
		case "csv":
			fmt.Fprintf(&b, "%d,%d,%d\n", index(), index(), index())
		case "mtx":
			fmt.Fprintf(&b, "%d %d %.4f\n", index()+1, index()+1, random.Float64())
		case "edges":
			fmt.Fprintf(&b, "%d\t%d\n", index(), index())
		case "image":
			b.Write(binary.BigEndian.AppendUint16(nil, uint16(index())))
		}
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	cases := []struct {
		name string
		opt  Options
	}{
		{"format=u32", Options{Format: "u32"}},
		{"format=u64", Options{Format: "u64"}},
		{"format=npy", Options{Format: "npy"}},
		{"format=text", Options{Format: "text"}},
		{"format=text/keys=true", Options{Format: "text", Keys: true}},
		{"format=csv", Options{Format: "csv", Column: "item"}},
		{"format=mtx/order=file", Options{Format: "mtx"}},
		{"format=mtx/order=row", Options{Format: "mtx", Order: OrderRow}},
		{"format=mtx/order=col", Options{Format: "mtx", Order: OrderCol}},
		{"format=edges/order=file", Options{Format: "edges"}},
		{"format=edges/order=row", Options{Format: "edges", Order: OrderRow}},
		{"format=edges/order=col", Options{Format: "edges", Order: OrderCol}},
		{"format=image", Options{Format: "image"}},
	}
	for _, c := range cases {
		content := benchInput(c.opt.Format)
		b.Run(c.name, func(b *testing.B) {
			buf := make([]uint32, 1<<16)
			b.SetBytes(int64(len(content)))
			for b.Loop() {
				c.opt.Stdin = strings.NewReader(content)
				if err := skim(c.opt, buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// skim reads a stream and holds its length against benchUpdates.
func skim(opt Options, buf []uint32) error {
	r, err := Open("-", opt)
	if err != nil {
		return err
	}
	total := 0
	for {
		n, err := r.Next(buf)
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	if total != benchUpdates {
		return fmt.Errorf("%d updates", total)
	}
	return r.Close()
}

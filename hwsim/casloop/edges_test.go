package casloop

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// edges lists the updates whose results other implementations are tested
// against, a line each: type, operation, and as bits in hexadecimal the target
// before, the operands and the target after.
func edges(t *testing.T) string {
	values := map[device.Type][]uint64{}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 1.0 / 3, math.Inf(1), math.Inf(-1),
		math.NaN()} {
		values[device.F32] = append(values[device.F32], uint64(bits32(float32(f))))
		values[device.F64] = append(values[device.F64], bits64(f))
	}
	// The least and the negative greatest subnormal number, the least normal one,
	// the greatest, the one next to 1, and the NaN that x86 makes.
	values[device.F32] = append(values[device.F32], 1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x3f800001,
		0xffc00000)
	values[device.F64] = append(values[device.F64], 1, 0x800fffffffffffff, 0x0010000000000000,
		0x7fefffffffffffff, 0x3ff0000000000001, 0xfff8000000000000)
	var b strings.Builder
	for _, typ := range []device.Type{device.F32, device.F64} {
		for _, o := range device.Ops() {
			f, err := FuncOf(o, typ)
			if err != nil {
				t.Fatal(err)
			}
			factors := []uint64{0}
			if o == device.Mad {
				all := values[typ]
				factors = []uint64{all[4], all[11], all[12]} // 1/3, the greatest, next to 1
			}
			for _, old := range values[typ] {
				for _, a := range values[typ] {
					for _, factor := range factors {
						digits := 2 * typ.Bytes()
						fmt.Fprintf(&b, "%s %s %0*x %0*x %0*x %0*x\n", typ, o, digits, old, digits, a, digits, factor,
							digits, f(old, Operand{A: a, B: factor}))
					}
				}
			}
		}
	}
	return b.String()
}

// TestEdges compares the operations with testdata/edges.txt, which tests of other
// implementations read. ATOMTUNE_UPDATE_GOLDEN=1 writes it.
func TestEdges(t *testing.T) {
	const path = "testdata/edges.txt"
	got := edges(t)
	if golden.Update() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(string(text), "\n")
	if len(gotLines) != len(wantLines) || len(wantLines) < 2000 {
		t.Fatalf("%s has %d lines, want %d", path, len(wantLines), len(gotLines))
	}
	for i, want := range wantLines {
		if gotLines[i] != want {
			t.Errorf("%s:%d holds %q, the operations give %q", path, i+1, want, gotLines[i])
		}
	}
}

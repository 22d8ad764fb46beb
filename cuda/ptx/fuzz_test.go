package ptx

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzParse: any text is a module with a version, a target and kernels that have names, or an error
// that names the text.
func FuzzParse(f *testing.F) {
	f.Add([]byte("// compiler: nvcc\n// source: a.cu sha256 00\n.version 6.4\n.target sm_70\n" +
		".visible .entry k(\n.param .u64 .ptr .global .align 4 k_param_0\n)\n{\n\tadd.u32 %r1, %r2, 1;\n\tret;\n}\n"))
	f.Add([]byte(".version 6.4\n.target sm_70\n.entry k(\n{\n{\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m", text)
		allocation.Bound(t, len(text), func() { m, err = Parse("m", text) })
		if err != nil {
			if !errors.Is(err, ErrText) || !strings.Contains(err.Error(), "m:") {
				t.Error(err)
			}
			return
		}
		if m.Version == (Version{}) || m.Target == 0 {
			t.Errorf("%+v", m)
		}
	})
}

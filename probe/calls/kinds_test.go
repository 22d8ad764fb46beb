package calls

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestKinds: what the types that a user names make of a stream.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		types []device.Type
		want  string
	}{
		{nil, "u32 loaded, u32 one, u32 loaded returns, f32 loaded, f32 loaded returns, f64 loaded, f64 loaded returns"},
		{[]device.Type{device.I64, device.I32, device.I64},
			"i32 loaded, i32 one, i32 loaded returns, i64 loaded, i64 one, i64 loaded returns"},
	} {
		var have []string
		for _, k := range callsOf(Options{Types: c.types}) {
			word := fmt.Sprintf("%s %s", k.Type, k.Operand)
			if k.Returns {
				word += " returns"
			}
			have = append(have, word)
		}
		if got := strings.Join(have, ", "); got != c.want {
			t.Errorf("%v: %s", c.types, got)
		}
	}
}

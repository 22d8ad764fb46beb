package device

import "testing"

func TestWords(t *testing.T) {
	for want, c := range map[string]Call{
		"u32 targets, adding loaded values":                            {},
		"f32 targets, adding 1, old values needed":                     {Type: F32, Operand: One, Returns: true},
		"i64 targets, min by loaded values, to an array that is there": {Type: I64, Op: Min, Keeps: true},
	} {
		if got := c.Words(); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

package quantity

import "testing"

func TestParse(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "010": 10, "9007199254740993": 1<<53 + 1, "18446744073709551615": 1<<64 - 1, "1e6": 1e6, "2.5e3": 2500,
		"64k": 64000, "1.001M": 1001000, "3G": 3e9, "1T": 1e12, "64Ki": 65536, "0.5Ki": 512, "1Mi": 1 << 20,
		"2Gi": 2 << 30, "1Ti": 1 << 40, "64kB": 64000, "1MiB": 1 << 20,
	} {
		if got, err := Parse(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "k", "Ki", "B", "64B", "64K", "64KB", "64m", "1.5", "1.0001k", "-1", "-1k", "1e20",
		"20000000Ti", "NaN", "inf", "1 k", "1kk", "0x1"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}

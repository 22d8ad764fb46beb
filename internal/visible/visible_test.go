package visible

import (
	"testing"
	"unicode/utf8"
)

func TestLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		`a'b"c\d`:                     `a'b"c\d`,
		"Größe, 東京, \U0001f600":       "Größe, 東京, \U0001f600",
		"a\x1b[31mb":                  `a\x1b[31mb`,
		"a\r\n\t\x00\x7f\a":           `a\r\n\t\x00\x7f\a`,
		"\u0085\u009b31m":             `\u0085\u009b31m`,
		"\xff\xc3(\x9b":               `\xff\xc3(\x9b`,
		"\u202eabc\u202a\u2066\u2069": `\u202eabc\u202a\u2066\u2069`,
		"a\u200bb\u200d\ufeff\u2028":  `a\u200bb\u200d\ufeff\u2028`,
		"\ufffd\ufdd0\U000e0001":      "\ufffd" + `\ufdd0\U000e0001`,
	} {
		if got := Line(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := Line("a\nb\tc\u0086", '\n', 0x86); got != "a\nb\\tc\u0086" {
		t.Errorf("%q", got)
	}
}

// FuzzLine: what is printed is UTF-8 of graphic runes, and stays as it is when it is printed again.
func FuzzLine(f *testing.F) {
	f.Add("a\x1b]0;b\a\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := Line(text)
		if !utf8.ValidString(got) || Line(got) != got {
			t.Errorf("%q", got)
		}
		for _, r := range got {
			if r < ' ' || r == 0x7f {
				t.Errorf("%q holds %q", got, r)
			}
		}
	})
}

package vision

import (
	"math"
	"testing"
)

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestDifference: red and green of one lightness are told apart by full colour vision alone, blue and
// yellow by all.
func TestDifference(t *testing.T) {
	black, white := RGB(0, 0, 0), RGB(255, 255, 255)
	near(t, "black and white", Difference(black, white), 100, 0.01)
	near(t, "their contrast", Contrast(black, white), 21, 0.01)
	near(t, "red's lightness", lab(RGB(255, 0, 0))[0], 53.24, 0.01) // as tables of CIELAB have it
	near(t, "red's a", lab(RGB(255, 0, 0))[1], 80.09, 0.02)
	near(t, "red's b", lab(RGB(255, 0, 0))[2], 67.20, 0.02)
	brown, green := RGB(0x75, 0x40, 0x1c), RGB(0x57, 0x51, 0x18)
	if d := Difference(brown, green); d > 2 {
		t.Errorf("brown and olive green differ by %v", d)
	}
	if d := Difference(RGB(0, 0, 255), RGB(255, 255, 0)); d < 100 {
		t.Errorf("blue and yellow differ by %v", d)
	}
}

// TestSchemes: variables are read by scheme, and a missing one is apart from nothing.
func TestSchemes(t *testing.T) {
	all := Schemes(`:root { --a: #ffffff; --b: #000000; } @media (prefers-color-scheme: dark) {
		:root { --a: #000000; } } p { --b: #123456; }`)
	if all["light"]["a"] != RGB(255, 255, 255) || all["dark"]["a"] != RGB(0, 0, 0) || len(all["dark"]) != 1 {
		t.Errorf("%v", all)
	}
	if pair, d := Apart(all["light"], "a", "b"); pair != "b and a" || math.Abs(d-100) > 0.01 {
		t.Errorf("%s differ by %v", pair, d)
	}
	if _, d := Apart(all["dark"], "a", "b"); d != 0 {
		t.Errorf("a missing colour differs by %v", d)
	}
}

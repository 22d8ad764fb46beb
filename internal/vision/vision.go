// Package vision says how well people tell colours apart, for the tests of pages and pictures.
package vision

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

// Colour is linear light: red, green and blue from 0 to 1.
type Colour [3]float64

// RGB returns a colour of sRGB.
func RGB(red, green, blue uint8) (c Colour) {
	for i, n := range [3]uint8{red, green, blue} {
		if c[i] = float64(n) / 255; c[i] <= 0.04045 {
			c[i] /= 12.92
		} else {
			c[i] = math.Pow((c[i]+0.055)/1.055, 2.4)
		}
	}
	return c
}

var variable = regexp.MustCompile(`--(\w+): #(\w{6});`)

// Schemes returns the colours of a page by the names of its variables, light and dark.
func Schemes(css string) map[string]map[string]Colour {
	light, rest, _ := strings.Cut(css, "prefers-color-scheme: dark")
	dark, _, _ := strings.Cut(rest, "}")
	all := map[string]map[string]Colour{}
	for scheme, text := range map[string]string{"light": light, "dark": dark} {
		all[scheme] = map[string]Colour{}
		for _, m := range variable.FindAllStringSubmatch(text, -1) {
			var red, green, blue uint8
			if n, err := fmt.Sscanf(m[2], "%02x%02x%02x", &red, &green, &blue); n == 3 && err == nil {
				all[scheme][m[1]] = RGB(red, green, blue)
			}
		}
	}
	return all
}

type matrix [3][3]float64

func (m *matrix) of(c Colour) (r Colour) {
	for i, row := range m {
		for j, v := range row {
			r[i] += v * c[j]
		}
	}
	return r
}

// seen is what light looks like to people of full colour vision, without red cones, and without green
// ones: Machado, Oliveira and Fernandes 2009, table 1, severity 1.
var seen = []matrix{
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
}

// xyz is of sRGB and D65.
var xyz = matrix{
	{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041},
}

func lab(c Colour) [3]float64 {
	white := xyz.of(Colour{1, 1, 1})
	f := xyz.of(c)
	for i := range f {
		if f[i] /= white[i]; f[i] > 216.0/24389 {
			f[i] = math.Cbrt(f[i])
		} else {
			f[i] = (f[i]*24389/27 + 16) / 116
		}
	}
	return [3]float64{116*f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])}
}

// Difference is the CIE76 difference of two colours to those who tell them apart worst: people of full
// colour vision, with protanopia or with deuteranopia.
func Difference(a, b Colour) float64 {
	least := math.Inf(1)
	for _, m := range seen {
		x, y := lab(within(m.of(a))), lab(within(m.of(b)))
		least = min(least, math.Hypot(math.Hypot(x[0]-y[0], x[1]-y[1]), x[2]-y[2]))
	}
	return least
}

func within(c Colour) Colour {
	for i := range c {
		c[i] = min(max(c[i], 0), 1)
	}
	return c
}

// Contrast is that of WCAG 2.2.
func Contrast(a, b Colour) float64 {
	x, y := xyz.of(a)[1], xyz.of(b)[1]
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Apart returns the two of some colours of a scheme that are told apart worst, and their Difference, 0
// where one is missing.
func Apart(scheme map[string]Colour, names ...string) (pair string, least float64) {
	least = math.Inf(1)
	for i, a := range names {
		for _, b := range names[:i] {
			one, known := scheme[a]
			other, too := scheme[b]
			if !known || !too {
				return a + " and " + b, 0
			}
			if d := Difference(one, other); d < least {
				pair, least = a+" and "+b, d
			}
		}
	}
	return pair, least
}

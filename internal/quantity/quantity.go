// Package quantity reads numbers as people write them.
package quantity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Units says what Parse takes, for help texts.
const Units = "64k is 64,000, 64Ki is 65,536; M, G and T likewise, and 1e6"

// units are powers of two, which a factor makes, and of ten, which an exponent does exactly.
var units = []struct {
	name, exponent string
	factor         float64
}{
	{"Ki", "", 1 << 10}, {"Mi", "", 1 << 20}, {"Gi", "", 1 << 30}, {"Ti", "", 1 << 40},
	{"k", "e3", 1}, {"M", "e6", 1}, {"G", "e9", 1}, {"T", "e12", 1},
}

// Parse reads a whole number of 64 bits such as 65536, 64Ki, 1.5M or 1e6; a B may follow a unit. It refuses K,
// which is 1,000 to some and 1,024 to others.
func Parse(text string) (uint64, error) {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, nil
	}
	digits, factor := text, 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(strings.TrimSuffix(text, "B"), u.name); ok {
			digits, factor = rest+u.exponent, u.factor
			break
		}
	}
	if number, ok := strings.CutSuffix(strings.TrimSuffix(text, "B"), "K"); ok {
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			return 0, fmt.Errorf("a capital K has two meanings: %sk counts in 1,000, %[1]sKi in 1,024", number)
		}
	}
	n, err := strconv.ParseFloat(digits, 64)
	if n *= factor; n >= 1<<64 {
		return 0, errors.New("the number is too large")
	}
	if err != nil || !(n >= 0) || n != math.Trunc(n) {
		return 0, fmt.Errorf("want a whole number, with a unit or without: %s", Units)
	}
	return uint64(n), nil
}

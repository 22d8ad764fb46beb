package golden

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// field is a number, a word or a key of JSON, CSV and the like.
var field = regexp.MustCompile(`[^\s,:;="{}\[\]]+`)

// Altered is a digest of what a decoder says to a text of which one field at a time is another: each to
// several others. Of many fields it takes some at equal distances, so that it makes at most so many
// alterations. The digest holds which of them are taken, and the numbers in the errors of others, such as
// lines and values: no words.
func Altered(text []byte, most int, decode func(altered []byte) error) *Digest {
	fields := field.FindAllIndex(text, -1)
	var sum Digest
	step := max(1, (len(fields)*alterations+most-1)/most)
	for i := 0; i < len(fields)*alterations; i += step {
		from, to := fields[i/alterations][0], fields[i/alterations][1]
		altered := append(bytes.Clone(text[:from]), alteration(string(text[from:to]), i%alterations)...)
		sum.n++
		if err := decode(append(altered, text[to:]...)); err != nil {
			numbers := number.FindAllString(err.Error(), -1)
			slices.Sort(numbers)
			sum.Text("refused " + strings.Join(numbers, " "))
		} else {
			sum.Text("taken")
		}
	}
	return &sum
}

const alterations = 7 // of a field: a prime, so that equal distances meet all kinds

func alteration(old string, n int) string {
	kinds := [alterations]string{"", "x", old + "x", "7", old + " ", "true", "-"}
	if _, err := strconv.ParseFloat(old, 64); err == nil {
		kinds = [alterations]string{"", "x", "0", "-1", "1e300", old + "1", "0.5"}
	}
	return kinds[n]
}

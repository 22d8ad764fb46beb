package golden

import (
	"regexp"
	"strconv"
)

var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?`)

// Written adds a text with numbers in it, such as a drawing: the numbers as such, of which
// so many digits count, and all else as text.
func (d *Digest) Written(text string, digits int) {
	end := 0
	for _, at := range number.FindAllStringIndex(text, -1) {
		d.Text(text[end:at[0]])
		v, err := strconv.ParseFloat(text[at[0]:at[1]], 64)
		if short, again := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64); err == nil && again == nil {
			d.Add(short)
		} else {
			d.Text(text[at[0]:at[1]])
		}
		end = at[1]
	}
	d.Text(text[end:])
}

package input

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/datasets/synth"
)

const familiesHead = `A stream that is made on the spot is named synth:FAMILY:n=UPDATES,k=TARGETS,
followed by ,seed=SEED and by ,NAME=VALUE for parameters of the family, which
else are as listed. The families:
`

// mixtureForm shows what no list of parameters does.
const mixtureForm = `
The parts of a mixture follow of=, as in
synth:mixture:n=65536,k=1024,of=uniform+zipf:s=1.2:share=3
`

// Families lists how streams are made, for the help of the commands that take
// them.
func Families() string {
	var b strings.Builder
	b.WriteString(familiesHead)
	for _, f := range synth.Families() {
		fmt.Fprintf(&b, "  %-11s %s\n", f.Name, f.Summary)
		for _, p := range f.Params {
			fmt.Fprintf(&b, "    %-11s %s\n", p.Name+"="+strconv.FormatFloat(p.Default, 'f', -1, 64), p.Summary)
		}
	}
	b.WriteString(mixtureForm)
	return strings.TrimSuffix(b.String(), "\n")
}

package trials

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// TestRecorded: the committed run holds every way that is described.
func TestRecorded(t *testing.T) {
	data := must.Get(os.ReadFile("dispatch_ways.csv"))(t)
	run := must.Get(Decode("dispatch_ways.csv", bytes.NewReader(data)))(t)
	for _, y := range ways {
		if len(run.of(y.name, "stream"))+len(run.of(y.name, "graph")) == 0 {
			t.Errorf("%s was not measured", y.name)
		}
	}
}

const example = `# A GPU, medians
way,mode,kernels,registers,n,bins,us,us_over_base,host_us
bare,stream,1,32,65536,256,10.00,0.00,2.00
known-action,stream,1,64,65536,256,10.25,0.25,2.10
bare,stream,1,32,65536,256,10.50,0.00,2.00
one-kernel,stream,1,64,65536,256,13.00,2.50,2.20
bare,stream,1,32,1000,256,8.00,0.00,2.00
one-kernel,stream,1,64,1000,256,12.00,4.00,2.40
bare,stream,1,32,65536,256,10.00,0.00,2.00
gated-2,stream,3,40,65536,256,15.00,5.00,6.00
bare,graph,1,32,65536,256,9.00,0.00,3.00
gated-2,graph,3,40,65536,256,12.00,3.00,3.00
`

func TestTables(t *testing.T) {
	run := must.Get(Decode("x.csv", strings.NewReader(example)))(t)
	var doc bytes.Buffer
	must.Do(t, WriteWays(&doc, run))
	for _, want := range []string{
		"A GPU, medians",
		"`one-kernel` adds least at worst: 4.0 us",
		"| `bare` | 1 | 32 | 8.0 | 10.0 | 10.5 | 2.0 |\n",
		"| `known-action` | 1 | 64 | not measured | 0.2 | 0.2 | 2.1 |\n",
		"| `one-kernel` | 1 | 64 | 4.0 | 2.5 | 4.0 | 2.3 |\n",
		" 0.5 us",
		"`gated-2` adds least at worst: 3.0 us",
		"| `bare` | 1 | 32 | 9.0 | 9.0 | 3.0 |\n",
	} {
		if !strings.Contains(doc.String(), want) {
			t.Errorf("no %q in\n%s", want, doc.String())
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"# A GPU, medians\n", "", "x.csv:1"},
		{"host_us", "host", "x.csv:2: "},
		{"known-action", "known", `x.csv:4: `},
		{"bare,stream,1,32,1000", "bare,river,1,32,1000", `x.csv:7: `},
		{"gated-2,stream,3", "gated-2,stream,0", `x.csv:10: `},
		{"13.00", "NaN", `x.csv:6: `},
		{"2.20", "-2.20", `x.csv:6: `},
		{"15.00", "15.10", "x.csv:10: "},
		{"bare,graph,1,32,65536,256,9.00,0.00,3.00\n", "", "x.csv:11: "},
		{"gated-2,graph,3,40,65536", "gated-2,graph,3,40,99", "x.csv:12: "},
		{",6.00\n", ",6.00,7\n", "x.csv"},
	} {
		if !strings.Contains(example, c.old) {
			t.Fatalf("no %q in the example", c.old)
		}
		_, err := Decode("x.csv", strings.NewReader(strings.Replace(example, c.old, c.now, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q: error %v, not %q", c.now, c.old, err, c.want)
		}
	}
}

// FuzzDecode: any text is a run of times, or an error that names the file.
func FuzzDecode(f *testing.F) {
	head := "# GPU\n" + strings.Join(header, ",") + "\n"
	f.Add([]byte(head + Bare + ",stream,1,16,1000,10,5.00,0.00,2.00\n"))
	f.Add([]byte(head))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Decode("r.csv", bytes.NewReader(text))
		allocation.Bound(t, len(text), func() { run, err = Decode("r.csv", bytes.NewReader(text)) })
		if err != nil {
			if !strings.Contains(err.Error(), "r.csv") {
				t.Error(err)
			}
			return
		}
		for _, r := range run.Rows {
			if !(r.Time > 0) || r.Kernels < 1 {
				t.Errorf("%+v", r)
			}
		}
	})
}

package trials

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestRecorded: the committed run holds every way that is described.
func TestRecorded(t *testing.T) {
	data, err := os.ReadFile("dispatch_ways.csv")
	if err != nil {
		t.Fatal(err)
	}
	run, err := Decode("dispatch_ways.csv", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range ways {
		if len(run.of(y.name, "stream"))+len(run.of(y.name, "graph")) == 0 {
			t.Errorf("%s was not measured", y.name)
		}
	}
}

// TestProgramMakesWays demands that the program measures what the document describes, and no
// other way. Its names of numbered ways end in what it appends.
func TestProgramMakesWays(t *testing.T) {
	source, err := os.ReadFile("dispatch_ways.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, y := range ways {
		name := strings.TrimRight(y.name, "2345")
		if !bytes.Contains(source, []byte(`{"`+name+`"`)) {
			t.Errorf("dispatch_ways.cu does not make %s", y.name)
		}
		if y.what == "" || y.limits == "" {
			t.Errorf("%s is not described", y.name)
		}
	}
	if made := bytes.Count(source, []byte(`{"`)); made != 9 {
		t.Errorf("dispatch_ways.cu makes ways in %d places", made)
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
	run, err := Decode("x.csv", strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	var doc bytes.Buffer
	if err := WriteWays(&doc, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Measured on: A GPU, medians.\n",
		"Of the ways that sample, `one-kernel` adds least at worst: 4.0 us.\n",
		"| way | launches | registers | 1000 of 256 | 2^16 of 256 | most | host |\n",
		"| `bare` | 1 | 32 | 8.0 | 10.0 | 10.5 | 2.0 |\n",
		"| `known-action` | 1 | 64 | not measured | 0.2 | 0.2 | 2.1 |\n",
		"| `one-kernel` | 1 | 64 | 4.0 | 2.5 | 4.0 | 2.3 |\n",
		"These lie up to 0.5 us\nfrom them.\n",
		"Of the ways that sample, `gated-2` adds least at worst: 3.0 us.\n",
		"| `bare` | 1 | 32 | 9.0 | 9.0 | 3.0 |\n",
		"**gated-2, gated-3, gated-4, gated-5**: ",
	} {
		if !strings.Contains(doc.String(), want) {
			t.Errorf("no %q in\n%s", want, doc.String())
		}
	}
	if strings.Contains(doc.String(), "Not measured yet") {
		t.Error("a run counts as none")
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ old, now, want string }{
		{"# A GPU, medians\n", "", "x.csv:1"},
		{"host_us", "host", "x.csv:2: columns"},
		{"known-action", "known", `x.csv:4: unknown way "known"`},
		{"bare,stream,1,32,1000", "bare,river,1,32,1000", `x.csv:7: mode "river"`},
		{"gated-2,stream,3", "gated-2,stream,0", `x.csv:10: kernels "0"`},
		{"13.00", "NaN", `x.csv:6: us "NaN"`},
		{"2.20", "-2.20", `x.csv:6: host_us "-2.20"`},
		{"15.00", "15.10", "x.csv:10: 15.10 us are not 5.00 us more than 10.00 us"},
		{"bare,graph,1,32,65536,256,9.00,0.00,3.00\n", "", "x.csv:11: gated-2 was not measured after"},
		{"gated-2,graph,3,40,65536", "gated-2,graph,3,40,99", "x.csv:12: gated-2 was not measured after"},
		{",6.00\n", ",6.00,7\n", "wrong number of fields"},
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

package papers_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/lab/papers/all"
)

// transcribed is a number as it was transcribed a second time, from the papers alone.
type transcribed struct {
	key, unit, where string
	value            float64
}

// transcription reads the second transcription of a paper.
func transcription(t *testing.T, paper string) []transcribed {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "transcription", paper+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return papers.List(len(lines)-1, func(i int) transcribed {
		l := lines[i+1]
		value, err := strconv.ParseFloat(l[1], 64)
		if err != nil || l[3] == "" {
			t.Fatalf("%s: %q", paper, l)
		}
		return transcribed{l[0], l[2], l[3], value}
	})
}

// TestTranscription: two transcriptions of each paper, made apart, hold the same numbers.
func TestTranscription(t *testing.T) {
	numbers := 0
	for _, p := range all.Papers() {
		if p.Published == nil {
			continue // it gives none
		}
		first := p.Published.All()
		for _, second := range transcription(t, p.Key) {
			numbers++
			if n := first[second.key]; n.Value != second.value || n.Unit != second.unit {
				t.Errorf("%s, %s: %v %s, but %v %s in %s", p.Key, second.key, n.Value, n.Unit,
					second.value, second.unit, second.where)
			}
			delete(first, second.key)
		}
		for key := range first {
			t.Errorf("%s, %s: transcribed once", p.Key, key)
		}
	}
	if numbers < 100 {
		t.Errorf("only %d numbers were compared", numbers)
	}
}

// TestPublishedAreRead: profiles and defaults hold the papers' numbers, and every other number
// is read by an experiment.
func TestPublishedAreRead(t *testing.T) {
	profile := func(name string) *device.Profile {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	amd, fermi, kepler, tesla := profile("hd5870"), profile("gtx580"), profile("gtx680"),
		profile("c2075")
	ours := map[string]map[string]float64{
		"gomezluna13": {
			"banks": fermi.Shared.Banks.Value, "shared memory": fermi.Shared.BytesPerSM.Value / 1024,
			"locks":    fermi.SharedAtomics["lock"].Locks.Value,
			"t_base":   fermi.SharedAtomics["lock"].Base.Value,
			"patterns": papers.DefaultPatterns, "k-means objects": papers.DefaultObjects,
		},
		"elteir11": {
			"compute units": amd.Core.SMs.Value, "channels": amd.Global.Slices.Value,
			"interleave": amd.Global.ChunkBytes.Value, "L2 cache": amd.Memory.L2Bytes.Value / 1024,
			"local memory":                  amd.Shared.BytesPerSM.Value / 1024,
			"workgroups of a compute unit":  amd.Core.MaxBlocks.Value,
			"copy through the FastPath":     amd.Memory.DRAMRate.Value / 1e9,
			"copy through the CompletePath": amd.Memory.AtomicRate.Value / 1e9,
		},
		"egielski14": {
			"gtx680 SMs": kepler.Core.SMs.Value, "c2075 SMs": tesla.Core.SMs.Value,
			"gtx680 shared memory": kepler.Shared.BytesPerSM.Value / 1024,
			"c2075 shared memory":  tesla.Shared.BytesPerSM.Value / 1024,
		},
	}
	for _, p := range all.Papers() {
		for key, value := range ours[p.Key] {
			if paper := p.Published.Number(key); value != paper {
				t.Errorf("%s, %s: %v, the paper has %v", p.Key, key, value, paper)
			}
		}
		if p.Published == nil {
			continue
		}
		if unread := p.Published.Unread(); len(unread) > 0 {
			t.Errorf("%s: nothing reads %q", p.Key, unread)
		}
	}
}

// TestPublishedAreStrict: what is not a table of numbers is refused, and so is a key that is not
// there.
func TestPublishedAreStrict(t *testing.T) {
	const head = "key,value,unit,where\n"
	refused := func(do func()) (refused bool) {
		defer func() { refused = recover() != nil }()
		do()
		return false
	}
	for _, table := range []string{"", "key,value,unit\na,1,us\n", head + "a,one,us,here\n",
		head + "a,Inf,us,here\n", head + "a,1,us,\n", head + "a,1,us,here\na,1,us,there\n"} {
		if !refused(func() { papers.NewPublished("paper", table) }) {
			t.Errorf("%q is read", table)
		}
	}
	p := papers.NewPublished("paper", head+"a,1,us,here\nb,2,us,there\n")
	if p.Number("a") != 1 || !refused(func() { p.Number("c") }) ||
		!slices.Equal(p.Unread(), []string{"b"}) {
		t.Errorf("unread: %q", p.Unread())
	}
	if statement := "experiment,item,paper,unit,status,reason\na,x,2,us,enforced,why\n"; !refused(
		func() { papers.NewPaper(papers.Paper{Key: "paper"}, statement) }) {
		t.Error("a number among the statements in words")
	}
}

package prediction

import (
	"bytes"
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// mechanism says in words how a device works on shared memory.
type mechanism struct {
	works         string
	won, lost     string // what became of a lane in a round
	reads, writes string // what a bank does with what stands in line
	readsLanes    bool   // lanes on one word do not share a pass of the read
	writesLanes   bool   // nor of the write
	losersWrite   bool   // all pending lanes write, and not the winners alone
}

var mechanisms = map[device.Mechanism]mechanism{
	device.Native: {
		works: "a unit beside the memory updates the lanes of a bank one by one",
		won:   "updated its word", reads: "updates", readsLanes: true,
	},
	device.Merge: {
		works: "a unit beside the memory counts the lanes of a word, the words of a bank one by one",
		won:   "updated its word", reads: "updates",
	},
	device.Access: {
		works: "each bank serves its words one by one",
		won:   "wrote its word", reads: "serves",
	},
	device.Lock: {
		works: "all pending lanes read and try their lock; one lane per lock writes, the others go round again",
		won:   "took its lock and wrote", lost: "read and found its lock taken", reads: "reads", writes: "writes",
	},
	device.Spin: {
		works: "in hardware, all pending lanes read; one lane per lock writes, the others go round again",
		won:   "took its lock and wrote", lost: "read and found its lock taken", reads: "reads", writes: "writes",
	},
	device.CAS: {
		works: "the lanes read once; all pending lanes try to swap, one per word succeeds, the others go round again",
		won:   "swapped its result in", lost: "swapped in vain", reads: "reads", writes: "swaps",
		writesLanes: true, losersWrite: true,
	},
}

// writers returns the lanes that write in a round.
func (m mechanism) writers(r roundDocument) []int {
	if m.losersWrite {
		return r.Pending
	}
	return r.Winners
}

// termMeanings explains the names of latency.Terms.
var termMeanings = map[string]string{
	"base":        "an operation without conflict",
	"round":       "each further round",
	"bank":        "each further pass of a read",
	"write":       "each further pass of a write",
	"park":        "the lanes that are done outnumber the others, leave first and wait",
	"merge":       "the others split again while lanes wait",
	"merge_saved": "saved each further time that they do",
	"split":       "a whole warp splits, whose lanes are free to run apart",
	"ahead":       "saved where the lanes that are done are the more then",
	"ahead_again": "saved besides where they are again at the second split",
	"ahead_last":  "saved besides where there is no second split",
	"step":        "added once where there are many rounds",
	"partial":     "some lanes of the warp take no part",
	"hidden":      "of the first read's conflict, what passes beneath other work",
	"half":        "saved in a round in which half of the warp has no lane left",
	"paired":      "saved where both halves of the warp are read at once",
}

// printMechanism says what the operation does, and on which bank and lock a
// word lies.
func printMechanism(w *bytes.Buffer, doc Document) {
	p := doc.Params
	fmt.Fprintf(w, "%s, %s %s in %s memory\n%s\n", doc.Profile.Title, doc.Type, doc.Operation, doc.Space, mechanisms[p.Mechanism].works)
	c := conflicts{Structure: p.Structure}
	bank := "bank"
	if p.Wide {
		bank = "pair of banks"
	}
	fmt.Fprintf(w, "word w lies on %s w mod %d", bank, c.Columns())
	switch {
	case p.Loops() && c.LockCount() > 0:
		fmt.Fprintf(w, " and has lock w mod %d", c.LockCount())
	case p.Loops():
		w.WriteString(" and has a lock of its own")
	}
	w.WriteString("\n\n")
}

// printLegend explains the characters and the terms that were printed.
func printLegend(w *bytes.Buffer, doc Document) {
	how := mechanisms[doc.Params.Mechanism]
	if doc.Operation == device.OpLoad {
		fmt.Fprintf(w, "%c  read its word\n", laneLoaded)
	} else {
		fmt.Fprintf(w, "%c  %s\n", laneWon, how.won)
	}
	if how.lost != "" {
		fmt.Fprintf(w, "%c  %s\n%c  done before\n", laneAgain, how.lost, laneDone)
	}
	fmt.Fprintf(w, "%c  inactive\n\nread, write: passes, one after the other, of the fullest bank\n", laneInactive)
	seen := map[string]bool{}
	for _, p := range doc.Predictions {
		for _, t := range p.Terms {
			seen[t.Name] = true
		}
	}
	for _, name := range latency.Terms() {
		if seen[name] {
			fmt.Fprintf(w, "%-11s  %s\n", name, Meaning(name, doc.Params.Mechanism))
		}
	}
}

// Meaning explains a term.
func Meaning(term string, m device.Mechanism) string {
	if term == "round" && m == device.Native {
		return "each further lane on the fullest bank"
	}
	return termMeanings[term]
}

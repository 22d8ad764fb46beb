package prediction

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// What a lane did in a round, as its character.
const (
	laneInactive = '.'
	laneDone     = '-'
	laneRetry    = 'r'
	laneWon      = 'W'
	laneLoaded   = 'R'
)

// The width of the text beside the strips, and of what a text beneath them has at most.
const (
	explainMargin = 10
	explainWidth  = 100
	explainWaits  = 6 // locks of a round whose waiting lanes are named
)

// drawing takes the lines of an explanation: a beginning that stays as it is, and a text that may be wrapped.
type drawing func(beginning, text string)

// Explain draws the rounds of each pattern.
func (doc *Document) Explain(draw drawing) {
	for _, line := range doc.Mechanism() {
		draw("", line)
	}
	draw("", "")
	for i, p := range doc.Predictions {
		text := fmt.Sprintf("pattern %d: %s cycles", i+1, Plain(p.Cycles))
		if p.SimulatedCycles != nil {
			text += fmt.Sprintf(" (simulated: %s)", decimals(*p.SimulatedCycles, 2))
		}
		draw("", text+doc.Sum(p))
		if len(p.Rounds) > 0 {
			doc.rounds(p, draw)
		}
		draw("", "")
	}
	doc.legend(draw)
}

// Sum writes the terms of a pattern as a sum behind its cycles: " = 108 base + 2·120 round".
func (doc *Document) Sum(p Prediction) (text string) {
	if len(p.Terms) == 0 {
		return ": no lane takes part"
	}
	sign := " = " // of the base, which is positive
	for _, t := range p.Terms {
		if t.Cycles < 0 {
			sign = " - "
		}
		text += sign + termText(t, doc.params)
		sign = " + "
	}
	return text
}

// termText prints a term without its sign, as 2·120 round.
func termText(t latency.Term, params latency.Params) string {
	each := params.Constant(slices.Index(latency.Terms(), t.Name))
	if times := math.Abs(t.Count); times != 1 && each != 1 {
		return Plain(times) + "·" + Plain(each) + " " + t.Name
	}
	return Plain(math.Abs(t.Cycles)) + " " + t.Name
}

// won is the character of a lane that is done.
func (doc *Document) won() byte {
	if doc.Operation == device.OpLoad {
		return laneLoaded
	}
	return laneWon
}

func (doc *Document) rounds(p Prediction, draw drawing) {
	lanes, numbers := len(p.pattern), "" // by tens
	for l := 0; l < lanes; l += 10 {
		numbers += fmt.Sprintf("%-10d", l)
	}
	draw(fmt.Sprintf("%*s%-*.*s   read  write    cycles", explainMargin, "", lanes, lanes, numbers), "")
	strip := bytes.Repeat([]byte{laneInactive}, lanes) // a character per lane
	mark := func(lanes []int, as byte) {
		for _, l := range lanes {
			strip[l] = as
		}
	}
	for i, r := range p.Rounds {
		title := "access"
		if doc.params.Loops() {
			title = fmt.Sprintf("round %d", i+1)
		}
		mark(r.Pending, laneRetry)
		mark(r.Winners, doc.won())
		draw(fmt.Sprintf("%-*s%s  %5d  %5d  %8s", explainMargin, title, strip, r.ReadPasses, r.WritePasses,
			Plain(r.Cycles)), "")
		for _, note := range doc.Notes(p, i) {
			draw(strings.Repeat(" ", explainMargin), note)
		}
		mark(r.Winners, laneDone)
	}
}

// Notes says on which banks accesses of a round stood in line, and whose locks lanes waited for.
func (doc *Document) Notes(p Prediction, round int) []string {
	c, r := conflicts{doc.params.Structure, p.pattern}, p.Rounds[round]
	return append(c.queueNotes(r), c.waitNotes(r)...)
}

// queueNotes says on which bank an access stood in line.
func (c conflicts) queueNotes(r Round) (notes []string) {
	how := mechanisms[c.Mechanism]
	for _, access := range []struct {
		verb   string
		lanes  []int
		every  bool // the lanes of a word do not share a pass
		passes int
	}{
		{how.reads, r.Pending, how.readsLanes, r.ReadPasses},
		{how.writes, how.writers(r), how.writesLanes, r.WritePasses},
	} {
		for _, queue := range c.queues(access.lanes, access.every, access.passes) {
			if len(queue.lanes) <= 1 {
				continue
			}
			half, bank, things, items, more := "", "bank", "lanes", ranges(queue.lanes), ""
			if queue.half >= 0 {
				half = []string{"lower", "upper"}[queue.half] + " half: "
			}
			if c.Wide {
				bank = "bank pair"
			}
			if !access.every {
				things, items = "words", nil
				for _, l := range queue.lanes {
					items = append(items, strconv.Itoa(int(c.pattern[l])))
				}
			}
			if queue.ties > 0 {
				more = fmt.Sprintf(" (%d more with as many)", queue.ties)
			}
			text := fmt.Sprintf("%s%s %d %s %d %s one after the other: ", half, bank, queue.bank,
				access.verb, len(queue.lanes), things)
			notes = append(notes, text+within(items, explainWidth-len(text)-len(more))+more)
		}
	}
	return notes
}

// waitNotes says whose lock the lanes wait for that go round again.
func (c conflicts) waitNotes(r Round) (notes []string) {
	var groups [][]Wait
	for _, x := range r.Waits {
		i := slices.IndexFunc(groups, func(g []Wait) bool {
			return g[0].HeldBy == x.HeldBy && c.alike(g[0]) == c.alike(x) && c.inVain(g[0]) == c.inVain(x)
		})
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	for i, g := range groups {
		if i == explainWaits && len(groups) > explainWaits+1 {
			return append(notes, fmt.Sprintf("... and lanes wait for %d more locks", len(groups)-i))
		}
		notes = append(notes, waitText(c, g))
	}
	return notes
}

func (c conflicts) alike(x Wait) bool { return x.Word == c.pattern[x.HeldBy] }

// inVain: a lane took its lock, but the lower half of the warp had changed its word.
func (c conflicts) inVain(x Wait) bool {
	return c.halved() && c.half(x.Lane) != c.half(x.HeldBy)
}

// waitText says which lanes wait for a lane's lock, and why.
func waitText(c conflicts, g []Wait) string {
	var lanes []int
	var words []string
	for _, x := range g {
		lanes = append(lanes, x.Lane)
		if word := strconv.Itoa(int(x.Word)); !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	who, waits, swaps := "lane", "waits", "swaps"
	if len(lanes) > 1 {
		who, waits, swaps = "lanes", "wait", "swap"
	}
	lock, holder, word := g[0].Lock, g[0].HeldBy, c.pattern[g[0].HeldBy]
	because := fmt.Sprintf(" %s for lock %d, held by lane %d: ", waits, lock, holder)
	shares := fmt.Sprintf(" share it with word %d", word)
	room := explainWidth / 4
	if len(words) > 1 { // the first has its room too
		room = min(room, explainWidth-len(who+" "+because+"words "+words[0]+", ..."+shares))
	}
	who += " " + within(ranges(lanes), room)
	text := who + because
	switch {
	case c.Mechanism == device.CAS:
		return fmt.Sprintf("%s %s word %d in vain: lane %d came first", who, swaps, word, holder)
	case c.inVain(g[0]):
		return fmt.Sprintf("%s took lock %d in vain: lane %d of the lower half had just changed word %d",
			who, lock, holder, word)
	case c.alike(g[0]):
		return fmt.Sprintf("%sthe same word %d", text, word)
	case len(words) == 1:
		return fmt.Sprintf("%sword %s shares it with word %d", text, words[0], word)
	}
	text += "words "
	return text + within(words, explainWidth-len(text)-len(shares)) + shares
}

// ranges writes ascending numbers with a dash between the ends of each run of three or more.
func ranges(numbers []int) []string {
	var runs []string
	for i := 0; i < len(numbers); i++ {
		end, run := i, strconv.Itoa(numbers[i])
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		if end > i+1 {
			i, run = end, run+"-"+strconv.Itoa(numbers[end])
		}
		runs = append(runs, run)
	}
	return runs
}

// within joins as many items as the width holds, one at least.
func within(items []string, width int) string {
	text := items[0]
	for _, item := range items[1:] {
		if len(text)+len(item)+len(", , ...") > width {
			return text + ", ..."
		}
		text += ", " + item
	}
	return text
}

// mechanism says in words how a device works on shared memory.
type mechanism struct {
	works         string
	won, lost     string // what became of a lane in a round
	reads, writes string // what a bank does with what stands in line
	readsLanes    bool   // lanes on one word do not share a pass of the read
	writesLanes   bool   // nor of the write
	losersWrite   bool   // all pending lanes write, and not the winners alone
}

const others = "the others retry"

func locking(first string) mechanism {
	return mechanism{works: first + "one lane per lock writes, " + others, won: "took its lock and wrote",
		lost: "read and found its lock taken", reads: "reads", writes: "writes"}
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
	device.Lock: locking("all pending lanes read and try their lock; "),
	device.Spin: locking("in hardware, all pending lanes read; "),
	device.CAS: {
		works: "the lanes read once; all pending lanes try to swap, one per word succeeds, " + others,
		won:   "swapped its result in", lost: "swapped in vain", reads: "reads", writes: "swaps",
		writesLanes: true, losersWrite: true,
	},
}

func (m mechanism) writers(r Round) []int {
	if m.losersWrite {
		return r.Pending
	}
	return r.Winners
}

var termMeanings = map[string]string{
	"base":        "an operation without conflict",
	"round":       "each further round",
	"bank":        "each further pass of a read",
	"write":       "each further pass of a write",
	"park":        "if most lanes are done, they leave first and wait for the others",
	"merge":       "the remaining lanes split again while others wait",
	"merge_saved": "saved on each later split of this kind",
	"split":       "a whole warp splits; its lanes may run independently",
	"ahead":       "saved if most lanes are done at that split",
	"ahead_again": "also saved if most lanes are done at the second split",
	"ahead_last":  "also saved if there is no second split",
	"step":        "added once if there are many rounds",
	"partial":     "some lanes of the warp take no part",
	"hidden":      "the part of the first read's conflict that overlaps other work",
	"half":        "saved in a round in which half of the warp has no lane left",
	"paired":      "saved where both halves of the warp are read at once",
}

// Mechanism says in three lines whose operation it is, what it does, and where a word lies.
func (doc *Document) Mechanism() []string {
	p, bank := doc.params, "bank"
	if p.Wide {
		bank = "pair of banks"
	}
	place := fmt.Sprintf("word w lies on %s w mod %d", bank, p.Columns())
	switch {
	case p.Loops() && p.LockCount() > 0:
		place += fmt.Sprintf(" and has lock w mod %d", p.LockCount())
	case p.Loops():
		place += " and has a lock of its own"
	}
	return []string{fmt.Sprintf("%s, %s %s in %s memory", doc.profile.Title, doc.Type, doc.Operation,
		doc.Space), mechanisms[p.Mechanism].works, place}
}

// Fates says what became of a lane that is done after a round, and of one that goes round again.
func (doc *Document) Fates() (won, lost string) {
	how := mechanisms[doc.params.Mechanism]
	if doc.Operation == device.OpLoad {
		return "read its word", ""
	}
	return how.won, how.lost
}

// legend explains the characters and the terms that were drawn.
func (doc *Document) legend(draw drawing) {
	won, lost := doc.Fates()
	draw(fmt.Sprintf("%c  %s", doc.won(), won), "")
	if lost != "" {
		draw(fmt.Sprintf("%c  %s", laneRetry, lost), "")
		draw(fmt.Sprintf("%c  done before", laneDone), "")
	}
	draw(fmt.Sprintf("%c  inactive", laneInactive), "")
	draw("", "")
	draw("read, write: sequential passes over the fullest bank", "")
	for _, name := range latency.Terms() {
		if slices.ContainsFunc(doc.Predictions, func(p Prediction) bool {
			return slices.ContainsFunc(p.Terms, func(t latency.Term) bool { return t.Name == name })
		}) {
			draw(fmt.Sprintf("%-11s  ", name), Meaning(name, doc.params.Mechanism))
		}
	}
}

func Meaning(term string, m device.Mechanism) string {
	if term == "round" && m == device.Native {
		return "each further lane on the fullest bank"
	}
	return termMeanings[term]
}

package explorer

import (
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/prediction"
	"github.com/atomtune/atomtune/latency"
)

// WarpQuestion asks for one warp's operation on shared memory.
type WarpQuestion struct {
	Device    string           `json:"device"`
	Type      device.Type      `json:"type"`
	Operation device.Operation `json:"operation"`
	// Addresses is a word for each lane, between commas, spaces or line ends; -1 for a lane that
	// takes no part. Lanes that are not named take none, if there is a first one.
	Addresses string `json:"addresses"`
}

// WarpAnswer is what the operation does.
type WarpAnswer struct {
	Words     []int32  `json:"words"` // a lane each, -1 for none
	Banks     []int32  `json:"banks"` // of the lanes' words
	Locks     []int32  `json:"locks"` // of the lanes' words; empty without locks
	BankCount int      `json:"bank_count"`
	LockCount int      `json:"lock_count"` // 0 where each word has its own, or there is none
	Cycles    string   `json:"cycles"`
	Sum       string   `json:"sum"`       // of the terms that make the cycles
	Mechanism []string `json:"mechanism"` // in words
	Won       string   `json:"won"`       // what became of a lane that is done
	Lost      string   `json:"lost"`      // of one that goes round again; "" where there is no loop
	Rounds    []Round  `json:"rounds"`
	Text      string   `json:"text"` // all of it, as atomtune latency --explain prints it
}

// Round is one iteration of the operation.
type Round struct {
	Title       string `json:"title"`
	Pending     []int  `json:"pending"` // lanes that read and try
	Winners     []int  `json:"winners"` // lanes that are done
	ReadPasses  int    `json:"read_passes"`
	WritePasses int    `json:"write_passes"`
	Cycles      string `json:"cycles"`
	// Notes name the banks that were stood in line for, and the locks that were waited for.
	Notes []string `json:"notes"`
}

// Warp answers a question about one warp. Errors wrap those of devices, patterns and latency.
func Warp(q WarpQuestion) (WarpAnswer, error) {
	d, err := device.Builtin(q.Device)
	if err != nil {
		return WarpAnswer{}, err
	}
	params, err := latency.ForDevice(d, q.Operation, q.Type)
	if err != nil {
		return WarpAnswer{}, err
	}
	pattern, err := addresses(q.Addresses, params.Lanes,
		int(d.Shared.BytesPerBlock.Value)/q.Type.Bytes())
	if err != nil {
		return WarpAnswer{}, err
	}
	doc, err := prediction.New(d, q.Operation, q.Type, nil)
	if err == nil {
		err = doc.Predict(pattern, true)
	}
	if err != nil {
		return WarpAnswer{}, err
	}
	p := doc.Predictions[0]
	a := WarpAnswer{Words: pattern, BankCount: params.Columns(), Cycles: prediction.Plain(p.Cycles),
		Sum: doc.Sum(p), Mechanism: doc.Mechanism(), Locks: []int32{}}
	a.Won, a.Lost = doc.Fates()
	a.place(params.Structure)
	a.Rounds = rounds(doc, p, params.Loops())
	doc.Explain(func(beginning, text string) { a.Text += beginning + text + "\n" })
	return a, nil
}

// addresses reads the word of each lane.
func addresses(text string, lanes, words int) (patterns.Pattern, error) {
	between := func(r rune) bool { return strings.ContainsRune(", \t\r\n;", r) }
	fields := strings.FieldsFunc(text, between)
	if len(fields) == 0 || len(fields) > lanes {
		return nil, fmt.Errorf("%w: %d addresses, want 1 to %d, one for each lane", patterns.ErrPattern,
			len(fields), lanes)
	}
	for len(fields) < lanes {
		fields = append(fields, "-1")
	}
	return patterns.Parse(fields, lanes, words)
}

// place says on which bank each word lies, and which lock it has.
func (a *WarpAnswer) place(s latency.Structure) {
	if s.Loops() {
		a.LockCount = s.LockCount()
	}
	for _, word := range a.Words {
		bank, lock := int32(patterns.Inactive), int32(patterns.Inactive)
		if word != patterns.Inactive {
			bank, lock = s.Column(word), s.Lock(word)
		}
		a.Banks = append(a.Banks, bank)
		if s.Loops() {
			a.Locks = append(a.Locks, lock)
		}
	}
}

func rounds(doc *prediction.Document, p prediction.Prediction, loops bool) []Round {
	list := []Round{}
	for i, r := range p.Rounds {
		title := "Access"
		if loops {
			title = fmt.Sprintf("Round %d", i+1)
		}
		list = append(list, Round{Title: title, Pending: r.Pending, Winners: r.Winners,
			ReadPasses: r.ReadPasses, WritePasses: r.WritePasses, Cycles: prediction.Plain(r.Cycles),
			Notes: append([]string{}, doc.Notes(p, i)...)})
	}
	return list
}

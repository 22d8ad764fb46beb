package settled

import (
	"bytes"
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// A Part is a set of recorded calls that is compared.
type Part struct {
	Name      string
	Questions func() ([]recorded.Question, error)
}

// Parts are the recordings of the H200 and a validation set of the H100.
var Parts = []Part{
	{"h200", func() ([]recorded.Question, error) { return recorded.Questions(h200.Archive) }},
	{"h200 second", func() ([]recorded.Question, error) { return recorded.SetQuestions(h200.Second) }},
	{"h200 fresh", func() ([]recorded.Question, error) { return recorded.SetQuestions(h200.Fresh) }},
	{"h100 fresh", func() ([]recorded.Question, error) { return recorded.SetQuestions(h100.Fresh) }},
}

// Summary counts the answers of a part.
type Summary struct {
	Part    string
	Answers int
	Settled int // by a sample; of the others all was read
	Same    int // of these, with the same choice
	Agree   int // of these, with the same choice or one that loses less than Loss
	// LossPercent is the mean over the settled answers of what a choice loses, 0 where it gains.
	LossPercent float64
}

// Summarize counts answers.
func Summarize(part string, list []Answer) Summary {
	s := Summary{Part: part, Answers: len(list)}
	for i := range list {
		a := &list[i]
		if !a.Settled {
			continue
		}
		s.Settled++
		s.LossPercent += 100 * max(0, a.Lost)
		if a.Exact == a.Sampled {
			s.Same++
		}
		if a.Agrees() {
			s.Agree++
		}
	}
	s.LossPercent /= max(1, float64(s.Settled))
	return s
}

// Difference is a settled choice that is another one than that of all of the stream.
type Difference struct {
	Part, Label, Call, Blocks, Exact, Sampled, LostPercent, By string
	Reason                                                     string // where it does not agree
}

// Differences returns those among answers, without reasons.
func Differences(part string, list []Answer) (all []Difference) {
	for i := range list {
		a := &list[i]
		if !a.Settled || a.Exact == a.Sampled {
			continue
		}
		by := "predicted"
		if a.Measured {
			by = "measured"
		}
		all = append(all, Difference{part, a.Label, a.Kind(), fmt.Sprintf("%d of %d", a.Blocks, a.TotalBlocks),
			a.Exact.String(), a.Sampled.String(), strconv.FormatFloat(100*a.Lost, 'f', 2, 64), by, ""})
	}
	return all
}

// key tells differences apart.
func (d Difference) key() [3]string { return [...]string{d.Part, d.Label, d.Call} }

const summariesFile, differencesFile = "summaries.csv", "differences.csv"

//go:embed summaries.csv
var summariesText []byte

//go:embed differences.csv
var differencesText []byte

var (
	summariesHead   = []string{"part", "answers", "settled", "same", "agree", "loss_percent"}
	differencesHead = []string{"part", "stream", "call", "blocks", "exact", "sampled", "lost_percent", "by", "reason"}
)

// Recorded returns the committed results. Errors wrap validate.ErrValidate.
func Recorded() (summaries []Summary, differences []Difference, err error) {
	defer validate.Wrap(&err)
	rows, err := table(summariesFile, summariesText, summariesHead)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		s := Summary{Part: r[0]}
		if _, err := fmt.Sscan(fmt.Sprint(r[1], " ", r[2], " ", r[3], " ", r[4], " ", r[5]), &s.Answers, &s.Settled,
			&s.Same, &s.Agree, &s.LossPercent); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", summariesFile, r[0], err)
		}
		summaries = append(summaries, s)
	}
	if rows, err = table(differencesFile, differencesText, differencesHead); err != nil {
		return nil, nil, err
	}
	for _, r := range rows {
		differences = append(differences, Difference{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]})
	}
	return summaries, differences, nil
}

// table reads the rows below a head.
func table(name string, text []byte, head []string) ([][]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], head) {
		return nil, fmt.Errorf("%s: want the columns %q", name, head)
	}
	return rows[1:], nil
}

// encode writes both files, with the reasons that are known.
func encode(summaries []Summary, differences, known []Difference) (summariesCSV, differencesCSV []byte) {
	rows := [][]string{summariesHead}
	for _, s := range summaries {
		rows = append(rows, []string{s.Part, strconv.Itoa(s.Answers), strconv.Itoa(s.Settled), strconv.Itoa(s.Same),
			strconv.Itoa(s.Agree), strconv.FormatFloat(s.LossPercent, 'f', 3, 64)})
	}
	summariesCSV = written(rows)
	rows = [][]string{differencesHead}
	for _, d := range differences {
		if i := slices.IndexFunc(known, func(k Difference) bool { return k.key() == d.key() }); i >= 0 {
			d.Reason = known[i].Reason
		}
		rows = append(rows, []string{d.Part, d.Label, d.Call, d.Blocks, d.Exact, d.Sampled, d.LostPercent, d.By,
			d.Reason})
	}
	return summariesCSV, written(rows)
}

func written(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll(rows) // a buffer takes all
	return b.Bytes()
}

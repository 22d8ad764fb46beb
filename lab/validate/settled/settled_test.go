package settled

import (
	"os"
	"strconv"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// answersOf compares the choices for streams of a part, on two cores.
func answersOf(t *testing.T, p Part, every int) (list []Answer, streams map[string]bool) {
	t.Helper()
	questions, err := p.Questions()
	if err != nil {
		t.Fatal(err)
	}
	measured, _ := recorded.Measured(questions)
	all := Streams(questions)
	answers := make([][]Answer, len(all))
	streams = map[string]bool{}
	var group errgroup.Group
	group.SetLimit(2)
	for i := 0; i < len(all); i += every {
		streams[all[i][0].Label] = true
		group.Go(func() (err error) {
			answers[i], err = Answers(all[i], measured, Forced)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		list = append(list, a...)
	}
	return list, streams
}

// TestResults: the differences are those of the committed list, on a few streams of each part. With
// ATOMTUNE_FULL=1 all are compared, and ATOMTUNE_UPDATE_GOLDEN=1 writes them.
func TestResults(t *testing.T) {
	_, differences, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	update := golden.Update()
	full := update || golden.Full()
	every := 240
	if full {
		every = 1
	}
	var madeSummaries []Summary
	var made []Difference
	compared := 0
	for _, p := range Parts {
		answers, streams := answersOf(t, p, every)
		madeSummaries = append(madeSummaries, Summarize(p.Name, answers))
		own := Differences(p.Name, answers)
		made, compared = append(made, own...), compared+madeSummaries[len(madeSummaries)-1].Settled
		if update {
			continue
		}
		var want []Difference
		for _, d := range differences {
			if d.Part == p.Name && streams[d.Label] {
				d.Reason = ""
				want = append(want, d)
			}
		}
		if diff := cmp.Diff(want, own); diff != "" {
			t.Errorf("%s (-committed +now):\n%s", p.Name, diff)
		}
	}
	if compared < 5 {
		t.Errorf("%d choices were settled", compared)
	}
	switch s, d := encode(madeSummaries, made, differences); {
	case update:
		write(t, summariesFile, s)
		write(t, differencesFile, d)
	case full && string(s) != string(summariesText):
		t.Errorf("%s: committed %s, now %s", summariesFile, summariesText, s)
	}
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestAgreement: samples settle as all of the stream does for 99 of 100 of all answers, the summaries
// count what the list names, and what loses more has a reason there.
func TestAgreement(t *testing.T) {
	summaries, differences, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if len(summaries) != len(Parts) {
		t.Fatalf("%d parts, want %d", len(summaries), len(Parts))
	}
	answers, disagree := 0, 0
	for i, s := range summaries {
		different, lost := 0, 0
		for _, d := range differences {
			if d.Part != s.Part {
				continue
			}
			percent, err := strconv.ParseFloat(d.LostPercent, 64)
			if err != nil {
				t.Fatal(err)
			}
			different++
			if percent >= 100*Loss {
				lost++
				if d.Reason == "" {
					t.Errorf("%v: find the reason", d.key())
				}
			}
		}
		if s.Part != Parts[i].Name || s.Settled-s.Same != different || s.Settled-s.Agree != lost {
			t.Errorf("%+v, but %d differences, of which %d lose more", s, different, lost)
		}
		answers, disagree = answers+s.Answers, disagree+s.Settled-s.Agree
	}
	if answers < 1000 || float64(disagree) > 0.01*float64(answers) {
		t.Errorf("%d of %d answers disagree", disagree, answers)
	}
}

// TestSummarize: an answer agrees with the same choice or one that loses little, and what was read as a
// whole is not counted as settled.
func TestSummarize(t *testing.T) {
	var same, gains, little, much, read Answer
	same.Settled, gains.Settled, little.Settled, much.Settled = true, true, true, true
	for _, a := range []*Answer{&gains, &little, &much} {
		a.Sampled.Slots = 64
	}
	gains.Lost, little.Lost, much.Lost = -0.1, 0.009, 0.03
	list := []Answer{same, gains, little, much, read}
	want := Summary{"p", 5, 4, 1, 3, (0.9 + 3) / 4}
	if got := Summarize("p", list); !cmp.Equal(got, want, cmp.Comparer(func(a, b float64) bool {
		return a-b < 1e-9 && b-a < 1e-9
	})) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := Differences("p", list); len(got) != 3 || got[2].LostPercent != "3.00" || got[2].By != "predicted" {
		t.Errorf("%+v", got)
	}
}

package bench

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// statement returns the value of a report's statement.
func statement(t *testing.T, r *Report, text string) float64 {
	t.Helper()
	for _, s := range r.Statements {
		if s.Text == text {
			return s.Value
		}
	}
	t.Fatalf("no statement %q", text)
	return 0
}

// TestReadme holds the README's figures on the call to the recording on the H200.
func TestReadme(t *testing.T) {
	run, err := Read("recorded/h200.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(run)
	if err != nil {
		t.Fatal(err)
	}
	streams := map[string]bool{}
	for _, c := range run.Cases {
		streams[c.Label] = true
		if c.Updates < 1<<16 || c.Updates > 1<<26 {
			t.Errorf("%s has %d updates", c.Label, c.Updates)
		}
	}
	const over = " over the best of all forms and launches, "
	at := func(words, which string) float64 { return statement(t, r, words+over+which) }
	const middle, long, worst = "mean from 2^20 updates on", "mean from 2^23 updates on",
		"at worst from 2^20 updates on"
	rival := func(name string) Ratios { // over all kinds of call
		var all []float64
		var labels []string
		for _, other := range Rivals() {
			for i := range run.Cases {
				c := &run.Cases[i]
				if v, there := c.ratio(other, r.profile, call); there && other.Name == name {
					all, labels = append(all, v), append(labels, c.Label)
				}
			}
		}
		return sumUp(all, labels)
	}
	torch, bincount, cub := rival("PyTorch scatter_add_"), rival("PyTorch bincount"),
		rival("CUB HistogramEven")
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.Join(strings.Fields(string(data)), " ")
	for _, say := range []string{
		fmt.Sprintf("over %d streams of 2^16 to 2^26 updates, %d of them real data, one call takes %.2f "+
			"times as long as the best of all forms in all launches from 2^20 updates on, %.2f times from "+
			"2^23 on and %.1f times at worst", len(streams), r.Groups[groupReal],
			at("the call", middle), at("the call", long), at("the call", worst)),
		fmt.Sprintf("a plan that has timed forms takes %.2f, %.2f and %.1f times as long",
			at("with a tuned plan", middle), at("with a tuned plan", long),
			at("with a tuned plan", worst)),
		fmt.Sprintf("PyTorch's `scatter_add_` takes %.1f times as long as the call in the geometric mean, "+
			"%.0f times at most and %.2f times at least", torch.GeometricMean, torch.Most, torch.Least),
		fmt.Sprintf("`bincount` %.1f times, CUB's `HistogramEven` %.1f times, %.2f at least",
			bincount.GeometricMean, cub.GeometricMean, cub.Least),
	} {
		if !strings.Contains(readme, say) {
			t.Errorf("README.md does not say %q", say)
		}
	}
}

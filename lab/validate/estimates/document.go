package estimates

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/estimate"
	"github.com/atomtune/atomtune/tuner/model"
)

const head = `# Profiles that are estimates

Rendered from the built-in profiles and lab/validate/estimates/results.json, which
` + "`script/regenerate estimates`" + ` computes from lab/estimate/figures.json and the recordings under
datasets/h200 and datasets/h100.

%s
## The rule

` + "`atomlab estimate`" + ` (package lab/estimate) makes every estimate from a base: a GPU with measured readings, of the same
vendor if there is one, with the nearest compute capability and, among those, the nearest memory bandwidth.

- Figures that a document states are taken from it.
- The number of slices is proportional to the bytes that L2 reads in a cycle if documents state these for both GPUs, else to
  the number of SMs. It is a multiple of region_slices.
- The rate of L2 is proportional to slices and clock, and the rates of memory to the published bandwidth. The bytes that L2
  holds under atomics are proportional to its size. A miss takes a fixed time, so its cycles are proportional to the clock.
- The time of work that goes through a warp's lanes one after another (issue, the ports of shuffles and ballots) is
  proportional to the number of lanes. The number of resident threads is that of the base.
- If a GPU adds a type natively, by its documents, and the base does not, the add costs what the base's native addition of
  u32 costs. A match instruction that the base lacks costs one ballot per key.
- Everything else is taken from the base: cycles of mechanisms, sizes, times of launches.

In the profile each of these quantities has the source "estimate", and its rationale says how it was derived; a quantity from
a document names the document. No estimate contains a measurement of its own device.

## To add a GPU

You edit one file and run one command, which takes about half a minute:

1. In lab/estimate/figures.json, add the titles of your documents to "documents", each under a short key of your choice. Then
   copy the entry of a similar GPU within "devices" and change its name, title and figures: the number of SMs, the boost
   clock in MHz, the bytes of L2 and the memory bandwidth in bytes per second. Each figure needs the key of its document, the
   place in the document, and a rationale. "groups" names the vendor and the compute capability, such as sm_86; the
   figures that such GPUs have in common are in the group. A new compute capability needs a new group.
2. Run ` + "`script/regenerate profiles`" + `. It writes device/profiles/NAME.json and updates README and this page.

Check it with ` + "`go run ./cmd/atomtune choose --device NAME`" + `, and commit everything that has changed; tests and
script/contract need nothing else. Without a tree (tuner/model/embedded), answers for the GPU come from the cost model alone,
and a warning says that.
` + "`DEVICES=NAME script/regenerate points`" + ` grows a tree by simulation.

## The devices

| device | GPU | base | from documents | estimated | SMs | clock, MHz | L2, MiB | slices | DRAM, GB/s |
|---|---|---|---|---|---|---|---|---|---|
`

const short = `In short: GPUs that nobody measured have profiles from public documents and estimates. To test the rule,
such profiles were also made for the two measured GPUs, without their measurements. Their choices took %s times as long as the best in the
geometric mean, those of the measured profiles %s times, and those of a rule without a profile %s times. Predicted times were
%s %% off in the median. A profile that ` + "`atomprobe`" + ` measures replaces an estimate.`

const judgedHead = `
Figures in italics are estimates.

## Estimates compared with measured profiles

%s
On the held-out half of the recorded calls: the measured time of a choice divided by that of the best, and the error of
predicted times, |predicted/measured - 1|. The last column is the factor within which nine of ten predicted times lie.

| GPU | profile | choices | mean | 90th percentile | maximum | median error of the choice | of all | factor |
|---|---|---|---|---|---|---|---|---|
`

const reading = `
What this shows, and what it does not:

- The H100 and the H200 are nearly the same chip. So estimating one from the other is the best case, and shows little about
  estimates of an A100 or an RTX 4090.
%s- The closed forms were developed on the H200's calls. That helps both estimates here, and may help less on another
  architecture.
%s- No AMD GPU was measured, so the error of such an estimate is unknown.
- Times from an estimate have no interval, since there are no recorded calls of that GPU to compare with.
`

// Results are the rows of the held-out half, of which doc/results/ESTIMATES.md is made.
type Results struct {
	Rows []Result `json:"rows"`
}

// Result is a Row without its profiles and single times.
type Result struct {
	GPU      string     `json:"gpu"`
	Profile  string     `json:"profile"`
	Base     string     `json:"base"`     // of an estimate
	Measured int        `json:"measured"` // choices
	Loss     model.Loss `json:"loss"`
	Errors   *Errors    `json:"errors"` // nil without a profile
}

// Errors are those of predicted times: medians in percent, and the factor within which nine of ten times lie.
type Errors struct {
	Choices float64 `json:"choices_median_percent"`
	All     float64 `json:"all_median_percent"`
	Factor  float64 `json:"nine_of_ten_factor"`
}

// results sums up the rows of the held-out half.
func (r *Report) results() (all Results) {
	for _, row := range r.HeldOut {
		one := Result{GPU: row.GPU, Profile: row.Profile, Measured: row.Choices - row.Missed,
			Loss: row.Loss}
		if row.Base != nil {
			one.Base = row.Base.Name
		}
		if len(row.logs) > 0 {
			one.Errors = &Errors{row.MedianPercent, row.AllMedianPercent, row.factor()}
		}
		all.Rows = append(all.Rows, one)
	}
	return all
}

// between is the range of a figure over the rows for which something holds.
func (r *Results) between(takes func(Result) bool, of func(Result) float64, format string) string {
	low, high := math.Inf(1), 0.0
	for _, row := range r.Rows {
		if takes(row) {
			low, high = min(low, of(row)), max(high, of(row))
		}
	}
	return fmt.Sprintf(format+" to "+format, low, high)
}

// Headline are the figures by the names that documents show them by: ranges over both GPUs.
func (r *Results) Headline() map[string]string {
	loss := func(row Result) float64 { return row.Loss.GeometricMean }
	return map[string]string{
		"estimates.loss": r.between(Result.estimate, loss, "%.2f"),
		"readings.loss":  r.between(Result.readings, loss, "%.2f"),
		"estimates.median-error": r.between(Result.estimate,
			func(row Result) float64 { return row.Errors.Choices }, "%.0f"),
	}
}

// Document is doc/results/ESTIMATES.md.
func (r *Results) Document() ([]byte, error) {
	var w bytes.Buffer
	loss := func(row Result) float64 { return row.Loss.GeometricMean }
	fmt.Fprintf(&w, head, filled("", short, r.between(Result.estimate, loss, "%.3f"),
		r.between(Result.readings, loss, "%.3f"),
		r.between(func(row Result) bool { return row.Errors == nil }, loss, "%.3f"),
		r.between(Result.estimate, func(row Result) float64 { return row.Errors.Choices }, "%.0f")))
	if err := writeDevices(&w); err != nil {
		return nil, err
	}
	far, err := device.Builtin(Distant)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&w, judgedHead, uses(r.Rows))
	for _, row := range r.Rows {
		errors := "| | | |"
		if e := row.Errors; e != nil {
			errors = fmt.Sprintf("| %.1f %% | %.1f %% | %.2f |", e.Choices, e.All, e.Factor)
		}
		fmt.Fprintf(&w, "| %s | %s | %d | %.3f | %.2f | %.2f %s\n", row.GPU, row.Profile, row.Measured,
			row.Loss.GeometricMean, row.Loss.P90, row.Loss.Max, errors)
	}
	fmt.Fprintf(&w, reading, filled("- ", distantReading, far.Title, far.Architecture),
		filled("- ", sharedReading, strings.Join(recordedCalls(far), ", ")))
	return w.Bytes(), nil
}

const (
	distantReading = "The %s (%s) is more generations away from both than any NVIDIA estimate is from its " +
		"base, and its own profile comes from papers, documents and estimates. It shows the worst case."
	sharedReading = "Some constants of the closed forms come from the H200's recorded calls, since no reading shows " +
		"them: %s. The bases contain them too, so the estimates of the H200 are not independent of its " +
		"recordings; those of the H100 are independent of its own."
)

// filled breaks a text between words into lines of 100 characters at most, the first behind a mark.
func filled(mark, format string, args ...any) string {
	var w strings.Builder
	line := mark
	for _, word := range strings.Fields(fmt.Sprintf(format, args...)) {
		if len(line)+len(word) >= 100 {
			w.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", len(mark))
		}
		line += word + " "
	}
	w.WriteString(strings.TrimRight(line, " ") + "\n")
	return w.String()
}

// estimate reports whether a row is of an estimate, readings whether it is of a profile of readings.
func (row Result) estimate() bool { return row.Base != "" }
func (row Result) readings() bool { return row.Base == "" && row.Errors != nil }

// uses says which profile each estimate is made from.
func uses(rows []Result) string {
	var w strings.Builder
	for _, row := range rows {
		if row.estimate() {
			fmt.Fprintf(&w, "- %s: public figures of it and of the %s, and the profile of the %s.\n",
				row.GPU, row.Base, row.Base)
		}
	}
	return w.String()
}

// recordedCalls lists the quantities of a profile that are of calls recorded on an H200.
func recordedCalls(p *device.Profile) (places []string) {
	p.Facts(func(f device.Fact) {
		if strings.Contains(f.Source(), "datasets/h200") {
			places = append(places, f.Place)
		}
	})
	return places
}

// writeDevices writes a row for each built-in estimate.
func writeDevices(w *bytes.Buffer) error {
	figures, err := estimate.Public()
	if err != nil {
		return err
	}
	for _, name := range figures.Builtin() {
		p, err := device.Builtin(name)
		if err != nil {
			return err
		}
		documents, estimated := 0, 0
		p.Facts(func(f device.Fact) {
			if f.Estimated() {
				estimated++
			} else {
				documents++
			}
		})
		fmt.Fprintf(w, "| %s | %s | %s | %d | %d | %s | %s | %s | %s | %s |\n", name, p.Title,
			p.Estimate.Base, documents, estimated, marked(p.Core.SMs, 1), marked(p.Core.Clock, 1),
			marked(p.Memory.L2Bytes, 1<<20), marked(p.Global.Slices, 1), marked(p.Memory.DRAMRate, 1e9))
	}
	return nil
}

// marked prints a quantity in a unit, in italics where it is an estimate.
func marked(q device.Quantity, unit float64) string {
	text := fmt.Sprintf("%.4g", q.Value/unit)
	if q.Source == device.SourceEstimate {
		return "*" + text + "*"
	}
	return text
}

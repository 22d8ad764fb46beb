package estimates

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
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

One program makes them all: ` + "`atomlab estimate`" + `, package lab/estimate. The base is the GPU with a
profile of readings of the same vendor, else of any, of the nearest compute capability, and among
these of the nearest bandwidth of memory.

- What a document states is that.
- The number of slices goes with the bytes that L2 reads in a cycle, where documents state these for
  both GPUs, else with the number of SMs. It is a multiple of region_slices.
- The rate of L2 goes with slices and clock, rates of memory go with the published bandwidth, what L2
  keeps under atomics with its size. What a miss adds is a time: its cycles go with the clock.
- What a warp's lanes take one after the other goes with their number: issue, and the ports of
  shuffles and ballots. As many threads are resident.
- What documents say is added natively, and the base adds otherwise, takes what its native addition
  of u32 takes. A match that the base has not takes one ballot a key.
- Everything else is the base's: cycles of mechanisms, sizes, times of launches.

In the profile each of these quantities has the source "estimate" and says in its rationale how it
follows; a quantity from a document names it. No estimate holds a measurement of its own device.

## To add a GPU

Two files and one command:

1. lab/estimate/figures.json: add the titles of your documents to "documents", and to "devices" a copy of a
   similar GPU's entry, with the SMs, the boost clock in MHz, the bytes of L2 and the bytes a second of memory.
   Each figure needs its document, the place there and a rationale. Groups hold what GPUs share: those of a
   vendor and of a compute capability, such as sm_86. A new compute capability needs a new group.
2. ` + "`script/regenerate profiles`" + ` writes device/profiles/NAME.json and updates the documents.

Commit all that has changed; tests and script/contract need nothing else. Without a tree of its own
(tuner/model/embedded) a GPU is answered for by the cost model alone, and answers say so.
` + "`DEVICES=NAME script/regenerate points`" + ` grows one by simulation.

## The devices

| device | GPU | base | from documents | estimated | SMs | clock, MHz | L2, MiB | slices | DRAM, GB/s |
|---|---|---|---|---|---|---|---|---|---|
`

const short = `In short: for GPUs that nobody measured there are profiles of public documents and
estimates. Made in the same manner for the two GPUs that were measured, without their readings, such
profiles chose %s times as long as the best in the geometric mean. The profiles of readings chose %s,
and a rule that needs no profile %s. Their times were %s %% off in the median. ` + "`atomprobe`" + `
measures your GPU, and its result replaces an estimate.`

const judgedHead = `
Figures in italics are estimates.

## Judged where both exist

%s
Held-out half of the recorded calls: the measured time of a choice over that of the best, and the
error of predicted times, |predicted/measured - 1|. Of all times nine of ten are off by less than the
factor at the end.

| GPU | profile | choices | mean | 90th percentile | maximum | median error of the choice | of all | factor |
|---|---|---|---|---|---|---|---|---|
`

const reading = `
What this says, and what it does not:

- The H100 and the H200 are nearly the same chip. An estimate of one from the other's readings is no
  fair judge of that of an A100 or of an RTX 4090: it is the best case.
%s- The closed forms took their shape on the H200's calls. What is right in their form helps both
  estimates here, and may help less on another architecture.
%s- No AMD GPU was measured. How far the estimate of one is off, nobody knows.
- Times by an estimate have no interval: no recorded call of its GPU says how far they are off.
`

// Results are the rows of the held-out half, of which doc/results/ESTIMATES.md is made.
type Results struct {
	Rows []Result `json:"rows"`
}

// Result is a Row without its profiles and single times.
type Result struct {
	GPU      string                `json:"gpu"`
	Profile  string                `json:"profile"`
	Short    string                `json:"short"`
	Base     string                `json:"base"`     // of an estimate
	Measured int                   `json:"measured"` // choices
	Loss     model.Loss            `json:"loss"`
	Families map[string]model.Loss `json:"families"`
	Errors   *Errors               `json:"errors"` // nil without a profile
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
		one := Result{GPU: row.GPU, Profile: row.Profile, Short: row.Short, Measured: row.Choices - row.Missed,
			Loss: row.Loss, Families: row.Families}
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
	for _, gpu := range gpus(r.Rows) {
		writeFamilies(&w, gpu, r.Rows)
	}
	fmt.Fprintf(&w, reading, filled("- ", distantReading, far.Title, far.Architecture),
		filled("- ", sharedReading, strings.Join(recordedCalls(far), ", ")))
	return w.Bytes(), nil
}

const (
	distantReading = "The %s, of %s, is further from both in generations than any NVIDIA estimate is " +
		"from its base. Its profile is of papers, documents and estimates itself. It stands for the " +
		"other end."
	sharedReading = "Of the H200's recorded calls are %s. These are constants of the closed forms that " +
		"no reading shows, and the bases hold them too: so the estimates of the H200 are not free of " +
		"its recordings, and those of the H100 are of its own."
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

// gpus lists the GPUs of rows in their order.
func gpus(rows []Result) (list []string) {
	for _, row := range rows {
		if !slices.Contains(list, row.GPU) {
			list = append(list, row.GPU)
		}
	}
	return list
}

// writeFamilies writes the losses of a GPU's choices by family of streams, a column for each profile.
func writeFamilies(w *bytes.Buffer, gpu string, rows []Result) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Result) bool {
		return row.GPU != gpu || row.readings() && row.Profile != withTree
	})
	fmt.Fprintf(w, "\nBy family of streams, %s: geometric mean and maximum.\n\n| family | choices |", gpu)
	for _, row := range rows {
		fmt.Fprintf(w, " %s |", row.Short)
	}
	w.WriteString("\n|---|---|" + strings.Repeat("---|", len(rows)) + "\n")
	for _, family := range slices.Sorted(maps.Keys(rows[0].Families)) {
		fmt.Fprintf(w, "| %s | %d |", family, rows[0].Families[family].Points)
		for _, row := range rows {
			l := row.Families[family]
			fmt.Fprintf(w, " %.3f, %.2f |", l.GeometricMean, l.Max)
		}
		w.WriteString("\n")
	}
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

package bench

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const documentHead = `# One call against the alternatives

Rendered from the tables under lab/bench/recorded, which bindings/cuda/bench/scatter.py measured;
bindings/cuda/bench/README.md defines a time. ` + "`atomlab bench scatter --run FILE`" + ` prints the same. Every result was checked.

A ratio is the other's time divided by the call's: above 1 the call is faster. "f32 loaded" adds a value loaded from memory
to an f32 target for each update; "u32 one" adds 1, as a histogram does. "Nine of ten" is the 10th percentile: nine of ten
streams have at least that ratio. The floor is the time of an empty kernel plus the time to read or write each necessary
byte once, at the measured rates of L2 and DRAM. Percentages are the floor divided by the time, in the geometric mean. CUB,
the implementations and plain atomics read 32-bit indices, PyTorch 64-bit ones. Each is compared with a call that reads
indices of the same type.

The streams: "recorded" are the held-out synthetic streams of datasets/h200; "real" come from images, sparse
matrices, graphs, point clouds, a mesh and vectors; "skewed" have one hot target in addition to a uniform stream of the same
size; "sizes" have lengths that the recorded ones lack.
`

// Recorded reads the runs of a folder, one of each GPU, each with the further times of its GPU in the
// folder further below it.
func Recorded(folder string) (runs []*Run, err error) {
	for _, pattern := range []string{"*.csv.gz", "further/*.csv.gz"} {
		paths, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			run, err := Read(path)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(runs, func(r *Run) bool { return r.GPU == run.GPU })
			if at < 0 {
				runs = append(runs, run)
			} else if err := runs[at].Join(run); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("%w: %s holds no *.csv.gz", ErrRun, folder)
	}
	return runs, nil
}

// Headline are the figures of a report by the names that documents show them by, behind the GPU's.
func (r *Report) Headline() (map[string]string, error) {
	streams := map[string]bool{}
	for i := range r.run.Cases {
		streams[r.run.Cases[i].Label] = true
	}
	all := map[string]string{"streams": strconv.Itoa(len(streams))}
	for ours, words := range map[string]string{"call": "the call", "tuned": "with a tuned plan"} {
		for name, which := range map[string]string{"from-2^20": "mean from 2^20 updates on",
			"from-2^23": "mean from 2^23 updates on", "worst": "at worst from 2^20 updates on"} {
			text := words + " over the best of all forms and launches, " + which
			at := slices.IndexFunc(r.Statements, func(s Statement) bool { return s.Text == text })
			if at < 0 {
				return nil, fmt.Errorf("%w: no statement %q", ErrRun, text)
			}
			format := "%.2f"
			if name == "worst" {
				format = "%.1f"
			}
			all[ours+"."+name] = fmt.Sprintf(format, r.Statements[at].Value)
		}
	}
	for name, rival := range map[string]string{"scatter_add": "PyTorch scatter_add_", "bincount": "PyTorch bincount",
		"histogram-even": "CUB HistogramEven"} {
		over := r.rival(rival)
		all[name+".mean"], all[name+".least"] = fmt.Sprintf("%.1f", over.GeometricMean), fmt.Sprintf("%.2f", over.Least)
		all[name+".most"] = fmt.Sprintf("%.0f", over.Most)
	}
	return all, nil
}

// rival is how many times as long another takes as the call, over all kinds of call.
func (r *Report) rival(name string) Ratios {
	var all []float64
	var labels []string
	for _, other := range Rivals() {
		for i := range r.run.Cases {
			c := &r.run.Cases[i]
			if v, there := c.ratio(other, r.profile, call); there && other.Name == name {
				all, labels = append(all, v), append(labels, c.Label)
			}
		}
	}
	return sumUp(all, labels)
}

// Document is doc/results/BENCH.md for runs on several GPUs. The figures stand beside it.
func Document(reports []*Report) []byte {
	var w bytes.Buffer
	w.WriteString(documentHead)
	for _, r := range reports {
		fmt.Fprintf(&w, "\n## %s\n\n", r.GPU)
		r.describe(&w)
		if _, drawn := r.plainly(); drawn {
			fmt.Fprintf(&w, "\n![how long plain atomics and the call take on real data](%s.svg)\n", r.FigureName("plain"))
		}
		fmt.Fprintf(&w, "\n![time over the floor on every stream, sorted](%s.svg)\n\nIn the picture, PyTorch is "+
			"scatter_add_ and CUB sorts and reduces by key. If each update adds 1, they are bincount and\nHistogramEven. "+
			"\"Best measured\" is the fastest of all forms and launches on each stream.\n", r.FigureName("bench"))
		r.writeStatements(&w)
		r.writeComparisons(&w)
		r.writeSizes(&w)
		r.writeLosses(&w)
	}
	return w.Bytes()
}

func (r *Report) describe(w *bytes.Buffer) {
	var streams []string
	for _, g := range r.GroupNames() {
		streams = append(streams, fmt.Sprintf("%d %s", r.Groups[g], g))
	}
	fmt.Fprintf(w, "Streams: %s. Measured with %s. An empty kernel takes %.2f µs.\n",
		strings.Join(streams, ", "), strings.Join(r.With, ", "), r.EmptyUS)
	if r.run.implementations()[ladder] {
		w.WriteString("The careful ladder chooses by the sizes alone. It takes the first that fits into a block: 32, 16 or 4 private " +
			"copies,\nor private+sr. If none fits, it takes match.\n")
	}
	for _, f := range r.Further {
		fmt.Fprintf(w, "Measured in a separate run (%s): %s.", strings.Join(f.With, ", "),
			strings.Join(f.Implementations, ", "))
		if f.CallTimes > 0 {
			fmt.Fprintf(w, " In that run the call took %.3f times as long as here.", f.CallTimes)
		}
		w.WriteString("\n")
	}
}

// Bound is a statement's limit in words.
func (s Statement) Bound() string {
	if s.Least {
		return fmt.Sprintf("at least %v %s", s.Limit, s.Unit)
	}
	return fmt.Sprintf("at most %v %s", s.Limit, s.Unit)
}

// Verdict is "met", "not met", or "not measured".
func (s Statement) Verdict() string {
	switch {
	case s.Rows == 0:
		return "not measured"
	case s.Met:
		return "met"
	}
	return "not met"
}

func (r *Report) writeStatements(w *bytes.Buffer) {
	fmt.Fprintf(w, "\n%d of %d statements are met.\n\n| statement | value | limit | rows | on | |\n"+
		"|---|---|---|---|---|---|\n", r.Met(), len(r.Statements))
	for _, s := range r.Statements {
		value := "-"
		if s.Rows > 0 {
			value = fmt.Sprintf("%.4g", s.Value)
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %s | %s |\n", s.Text, value, s.Bound(), s.Rows, code(s.On),
			s.Verdict())
	}
}

// code marks what is not empty as code, in which labels keep their signs.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func (r *Report) writeComparisons(w *bytes.Buffer) {
	w.WriteString("\n| other | call | streams | mean | nine of ten | least | most | mean, with a plan | " +
		"floor/call (%) | floor/other (%) |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range r.Comparisons {
		plan := "-"
		if c.Planned != nil {
			plan = fmt.Sprintf("%.3g", c.Planned.GeometricMean)
		}
		fmt.Fprintf(w, "| %s | %s | %d | %.3g | %.3g | %.3g | %.3g | %s | %.0f | %.0f |\n", c.Rival, c.Kind,
			c.Streams, c.GeometricMean, c.P10, c.Least, c.Most, plan, c.FloorPercent, c.RivalPercent)
	}
}

func (r *Report) writeSizes(w *bytes.Buffer) {
	w.WriteString("\nThe call over the best of all forms and launches, by updates:\n\n" +
		"| updates from | below | rows | mean | most | mean, with a plan | most |\n" +
		"|---|---|---|---|---|---|---|\n")
	for _, s := range r.Sizes {
		plan, most := "-", "-"
		if s.Planned != nil {
			plan, most = fmt.Sprintf("%.3f", s.Planned.GeometricMean), fmt.Sprintf("%.2f", s.Planned.Most)
		}
		fmt.Fprintf(w, "| %d | %d | %d | %.3f | %.2f | %s | %s |\n", s.From, s.To, s.Call.Streams,
			s.Call.GeometricMean, s.Call.Most, plan, most)
	}
}

func (r *Report) writeLosses(w *bytes.Buffer) {
	w.WriteString("\nWhere the call takes longest beside the best form:\n\n" +
		"| stream | call | µs | ran | best µs | best form | times |\n|---|---|---|---|---|---|---|\n")
	for _, l := range r.Losses {
		fmt.Fprintf(w, "| %s | %s | %.1f | %s | %.1f | %s | %.2f |\n", code(l.Stream), l.Kind, l.US,
			code(l.Chosen), l.BestUS, code(l.Best), l.Times)
	}
}

package trials

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

const intro = `# What the choice on the device costs, by each way

Rendered from cuda/trials/dispatch_ways.csv, which dispatch_ways.cu beside it prints on a GPU; its head
says how it is compiled.

A call of f32 additions samples its indices, walks a decision tree and runs a form, and nothing
waits on the host. CUDA has several ways for the last step. Each is measured with the same
sample, the same tree of 511 nodes, and the same forms of SMs x 1,024 threads with 4 updates in
flight: plain atomics, private copies, warp reductions by match and by scan, and copies with
match. Targets are uniform, so that the tree takes 8 private copies for 256 targets and plain
atomics for 65,536. The sums and the choice are checked for every way.

Times are medians of 50 calls, between two events around a call that was enqueued while the
device was busy. In the tables stands what a way takes longer than the bare form in the same
launch, which is measured right before it, in microseconds. The host's time is that of
enqueueing one call. Data stay in L2 where they fit.

`

// WriteWays writes what is known of the ways, and the tables of a run.
func WriteWays(w io.Writer, run Run) error {
	var text strings.Builder
	text.WriteString(intro)
	if len(run.Rows) == 0 {
		text.WriteString("Not measured yet.\n\n")
	} else {
		fmt.Fprintf(&text, "Measured on: %s.\n\n", run.Machine)
		run.writeMode(&text, "stream", "Calls on a stream")
		run.writeMode(&text, "graph", "Calls in a graph that is replayed")
	}
	text.WriteString("## The ways\n\n")
	for i, y := range ways {
		if i > 0 && y.what == ways[i-1].what {
			continue
		}
		text.WriteString(wrapped("**"+names(y.what)+"**: "+y.what+" "+y.limits) + "\n")
	}
	_, err := io.WriteString(w, strings.TrimSuffix(text.String(), "\n"))
	return err
}

// wrapped breaks a paragraph into lines of at most 100 columns.
func wrapped(paragraph string) string {
	var text strings.Builder
	column := 0
	for _, word := range strings.Fields(paragraph) {
		switch {
		case column == 0:
		case column+1+len(word) > 100:
			text.WriteByte('\n')
			column = 0
		default:
			text.WriteByte(' ')
			column++
		}
		text.WriteString(word)
		column += len(word)
	}
	return text.String() + "\n"
}

// names lists the ways that are described by the same words.
func names(what string) string {
	var all []string
	for _, y := range ways {
		if y.what == what {
			all = append(all, y.name)
		}
	}
	return strings.Join(all, ", ")
}

// writeMode writes the table of a mode, where anything was measured in it.
func (run Run) writeMode(text *strings.Builder, mode, title string) {
	places := run.places(mode)
	if len(places) == 0 {
		return
	}
	fmt.Fprintf(text, "## %s\n\n", title)
	run.writeLeast(text, mode)
	text.WriteString("| way | launches | registers |")
	for _, p := range places {
		fmt.Fprintf(text, " %s of %d |", short(p.updates), p.bins)
	}
	text.WriteString(" most | host |\n|---|---|---|" + strings.Repeat("---|", len(places)) +
		"---|---|\n")
	for _, name := range append([]string{Bare}, wayNames()...) {
		if rows := run.of(name, mode); len(rows) > 0 {
			writeRow(text, name, rows, places)
		}
	}
	bare := run.of(Bare, mode)
	text.WriteString("\n" + wrapped(fmt.Sprintf("The first row has the bare form's own times, "+
		"medians over its measurements. These lie up to %.1f us from them.",
		spread(bare, places))) + "\n")
}

func wayNames() []string {
	var all []string
	for _, y := range ways {
		all = append(all, y.name)
	}
	return all
}

// writeLeast names the way that samples and adds least at worst.
func (run Run) writeLeast(text *strings.Builder, mode string) {
	best, least := "", math.Inf(1)
	for _, name := range wayNames() {
		rows := run.of(name, mode)
		if name == "known-action" || len(rows) == 0 {
			continue
		}
		if most := slices.Max(collect(rows, over)); most < least {
			best, least = name, most
		}
	}
	if best != "" {
		fmt.Fprintf(text, "Of the ways that sample, `%s` adds least at worst: %.1f us.\n\n", best, least)
	}
}

func over(r Row) float64 { return r.Over }

// writeRow writes the row of a way: the bare implementation's times, or what others add to them.
func writeRow(text *strings.Builder, name string, rows []Row, places []place) {
	value := over
	if name == Bare {
		value = func(r Row) float64 { return r.Time }
	}
	launches := collect(rows, func(r Row) float64 { return float64(r.Kernels) })
	registers := collect(rows, func(r Row) float64 { return float64(r.Registers) })
	fmt.Fprintf(text, "| `%s` | %.0f | %.0f |", name, slices.Max(launches), slices.Max(registers))
	for _, p := range places {
		at := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.place() != p })
		if len(at) == 0 {
			text.WriteString(" not measured |")
			continue
		}
		fmt.Fprintf(text, " %.1f |", median(collect(at, value)))
	}
	host := median(collect(rows, func(r Row) float64 { return r.Host }))
	fmt.Fprintf(text, " %.1f | %.1f |\n", slices.Max(collect(rows, value)), host)
}

// spread is how far the bare implementation's times lie from their medians, in us.
func spread(bare []Row, places []place) float64 {
	widest := 0.0
	for _, p := range places {
		at := slices.DeleteFunc(slices.Clone(bare), func(r Row) bool { return r.place() != p })
		times := collect(at, func(r Row) float64 { return r.Time })
		for _, t := range times {
			widest = max(widest, math.Abs(t-median(times)))
		}
	}
	return widest
}

// short writes a power of two as such.
func short(n int) string {
	for bits := 10; bits < 63; bits++ {
		if n == 1<<bits {
			return fmt.Sprintf("2^%d", bits)
		}
	}
	return fmt.Sprint(n)
}

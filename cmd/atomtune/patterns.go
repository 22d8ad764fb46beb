package main

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
)

// How many patterns there are: structured ones, which take as long to make as the rest of the start, and random
// ones by default, as many as were recorded.
const (
	structuredPatterns = 5184
	defaultPatterns    = 2592
	mostPatterns       = 1_000_000
	mostWords          = 1 << 20
)

var patternKinds = []string{"structured", "random"}

type patternsFlags struct {
	kind  string
	count int
	seed  uint64
	words int
	out   string
}

// check fills in the kind and refuses what contradicts it.
func (f *patternsFlags) check(given func(flag string) bool) error {
	random := given("words") || given("seed")
	if f.kind == "" {
		f.kind = map[bool]string{false: "structured", true: "random"}[random]
	}
	switch {
	case !slices.Contains(patternKinds, f.kind):
		return command.Usagef("unknown kind %q of patterns (want one of %s)", f.kind, input.List(patternKinds))
	case f.kind == "structured" && random:
		return command.Usagef("structured patterns have no --seed and no --words; --kind random has")
	case f.count < 0 || f.count > mostPatterns:
		return command.Usagef("--count %d, want 1 to %d, or 0 for all", f.count, mostPatterns)
	case f.kind == "structured" && f.count > structuredPatterns:
		return command.Usagef("--count %d, but there are %d structured patterns", f.count, structuredPatterns)
	case given("words") && (f.words < 1 || f.words > mostWords):
		return command.Usagef("--words %d, want 1 to %d", f.words, mostWords)
	}
	return nil
}

func newPatterns(e *env) *cobra.Command {
	var f patternsFlags
	cmd := newCommand("patterns", command.NoArguments, structuredPatterns, defaultPatterns)
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "kind", "", "`kind` of the set: "+input.List(patternKinds)+
		" (default: structured; with --words or --seed, random)")
	flags.IntVar(&f.count, "count", 0, "`number` of patterns, from the first (0: see above)")
	flags.Uint64Var(&f.seed, "seed", 1, "`seed` of random patterns")
	flags.IntVar(&f.words, "words", 0, "random patterns, uniform over this many `words`")
	flags.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	command.CompleteFlag(cmd, "kind", patternKinds)
	cmd.RunE = command.Action(func(*cobra.Command, []string) error {
		if err := f.check(flags.Changed); err != nil {
			return err
		}
		return printPatterns(e, f)
	})
	return cmd
}

// patternsDocument is what patterns prints: the patterns, or the file that they were written to.
type patternsDocument struct {
	Kind     string             `json:"kind"`
	Seed     *uint64            `json:"seed,omitempty"`  // of random patterns
	Words    int                `json:"words,omitempty"` // of uniform ones
	Count    int                `json:"count"`
	File     string             `json:"file,omitempty"`
	Patterns []patterns.Pattern `json:"patterns,omitempty"`
}

func printPatterns(e *env, f patternsFlags) error {
	all := f.set()
	var text bytes.Buffer
	if err := patterns.Write(&text, all); err != nil {
		return err
	}
	doc := patternsDocument{Kind: f.kind, Words: f.words, Count: len(all), File: f.out}
	if f.kind == "random" {
		doc.Seed = &f.seed
	}
	if f.out == "" {
		doc.Patterns = all
	}
	return publish(e, f.out, text.Bytes(), doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %s %s patterns\n", f.out, report.Count(doc.Count), doc.Kind)
	})
}

func (f *patternsFlags) set() []patterns.Pattern {
	if f.kind == "structured" {
		return patterns.Structured()[:cmp.Or(f.count, structuredPatterns)]
	}
	wanted := cmp.Or(f.count, defaultPatterns)
	if f.words > 0 { // any of them in each lane
		rng := rand.New(rand.NewPCG(f.seed, uint64(f.words)))
		all := make([]patterns.Pattern, wanted)
		for i := range all {
			all[i] = make(patterns.Pattern, patterns.Lanes)
			patterns.Space{Words: f.words, Kind: patterns.Uniform}.Draw(rng, all[i])
		}
		return all
	}
	round := len(patterns.Random(f.seed, 1))
	return patterns.Random(f.seed, 1+(wanted-1)/round)[:wanted]
}

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
	"github.com/atomtune/atomtune/internal/wholefile"
)

// The kinds of sets, and how many random patterns there are by default: as many as were recorded.
const (
	kindStructured     = "structured"
	kindRandom         = "random"
	structuredPatterns = 5184 // that there are; making them all takes as long as the rest of the start
	defaultPatterns    = 2592
	mostPatterns       = 1_000_000
	mostWords          = 1 << 20
)

var patternKinds = []string{kindStructured, kindRandom}

type patternsFlags struct {
	kind    string
	count   int
	seed    uint64
	words   int
	out     string
	changed func(flag string) bool // whether the flag was given
}

// check fills in the kind and refuses what contradicts it.
func (f *patternsFlags) check() error {
	random := f.changed("words") || f.changed("seed")
	if f.kind == "" && random {
		f.kind = kindRandom
	}
	f.kind = cmp.Or(f.kind, kindStructured)
	switch {
	case !slices.Contains(patternKinds, f.kind):
		return command.Usagef("unknown kind %q of patterns (there are %s)", f.kind,
			input.List(patternKinds))
	case f.kind == kindStructured && random:
		return command.Usagef("structured patterns have no --seed and no --words; --kind random has")
	case f.count < 0 || f.count > mostPatterns:
		return command.Usagef("--count %d, want 1 to %d, or 0 for all", f.count, mostPatterns)
	case f.changed("words") && (f.words < 1 || f.words > mostWords):
		return command.Usagef("--words %d, want 1 to %d", f.words, mostWords)
	}
	return nil
}

func newPatterns(e *env) *cobra.Command {
	var f patternsFlags
	cmd := &cobra.Command{
		Use:   "patterns",
		Short: "Print access patterns of a warp to measure or predict with",
		Args:  command.NoArguments,
	}
	explain(cmd, structuredPatterns, defaultPatterns)
	flags := cmd.Flags()
	f.changed = flags.Changed
	flags.StringVar(&f.kind, "kind", "", "`kind` of the set: "+input.List(patternKinds)+
		" (default: structured; with --words or --seed, random)")
	flags.IntVar(&f.count, "count", 0, "`number` of patterns, from the first (0: see above)")
	flags.Uint64Var(&f.seed, "seed", 1, "`seed` of random patterns")
	flags.IntVar(&f.words, "words", 0, "random patterns that are uniform over so many `words`")
	flags.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	command.CompleteFlag(cmd, "kind", patternKinds)
	cmd.RunE = command.Action(func(*cobra.Command, []string) error {
		if err := f.check(); err != nil {
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
	all, err := f.set()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := patterns.Write(&text, all); err != nil {
		return err
	}
	doc := patternsDocument{Kind: f.kind, Words: f.words, Count: len(all), File: f.out}
	if f.kind == kindRandom {
		doc.Seed = &f.seed
	}
	if f.out == "" {
		doc.Patterns = all
		return e.Emit(doc, func(w *bytes.Buffer) { w.Write(text.Bytes()) })
	}
	if err := wholefile.Write(f.out, text.Bytes()); err != nil {
		return err
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		report.Fprintf(w, "%s: %s %s patterns\n", f.out, report.Count(doc.Count), doc.Kind)
	})
}

// set makes the patterns.
func (f *patternsFlags) set() ([]patterns.Pattern, error) {
	if f.kind == kindStructured {
		all := patterns.Structured()
		if f.count > len(all) {
			return nil, command.Usagef("--count %d, but there are %d structured patterns", f.count, len(all))
		}
		return all[:cmp.Or(f.count, len(all))], nil
	}
	wanted := cmp.Or(f.count, defaultPatterns)
	if f.words > 0 { // any of them in each lane
		rng := rand.New(rand.NewPCG(f.seed, uint64(f.words)))
		all := make([]patterns.Pattern, wanted)
		for i := range all {
			all[i] = make(patterns.Pattern, patterns.Lanes)
			patterns.Space{Words: f.words, Kind: patterns.Uniform}.Draw(rng, all[i])
		}
		return all, nil
	}
	round := len(patterns.Random(f.seed, 1))
	return patterns.Random(f.seed, 1+(wanted-1)/round)[:wanted], nil
}

package choice

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/quantity"
	"github.com/atomtune/atomtune/tuner"
)

// RelaidUsage is the usage of --relaid.
const RelaidUsage = "the updates arrive already re-laid out, so ss takes no host time"

// Flags are the constraints on a choice that every command takes which chooses.
type Flags struct {
	options       tuner.Options
	memory        input.ByteSize
	calls         calls
	only, exclude []string
}

// Register adds the flags.
func (f *Flags) Register(cmd *cobra.Command) {
	flags, o := cmd.Flags(), &f.options
	flags.BoolVar(&o.Relaid, "relaid", false, RelaidUsage)
	flags.Var(&f.calls, "calls", "number of `calls` with the same indices: preparation counts only once")
	flags.Var(&f.calls, "launches", "another name of --calls")
	command.Hide(cmd, "launches", "relaid")
	flags.BoolVar(&o.Deterministic, "deterministic", false,
		"every run must give the same bits: no float atomics if several updates share a target")
	flags.Var(&f.memory, "memory",
		"limit on device memory besides stream and targets: a `size` such as 64MiB")
	flags.BoolVar(&o.NoSort, "no-sort", false,
		"do not sort or reorder the stream")
	flags.BoolVar(&o.Cautious, "cautious", false,
		"choose by the upper end of each interval (devices with recorded calls)")
	flags.StringArrayVar(&f.only, "only", nil,
		"rank only the implementations in this `list`")
	flags.StringArrayVar(&f.exclude, "exclude", nil,
		"do not rank the implementations in this `list`")
}

// Options returns the options of a choice under these constraints, for a call.
func (f *Flags) Options(c device.Call, given func(flag string) bool) (o tuner.Options, err error) {
	o = f.options
	o.Calls = int(max(1, f.calls))
	if o.Call = c; given("memory") {
		o.MemoryBytes = max(1, uint64(f.memory))
	}
	if o.Only, err = parsed("--only", f.only, c); err != nil {
		return o, err
	}
	o.Exclude, err = parsed("--exclude", f.exclude, c)
	return o, err
}

// calls is a number of calls, at least 1.
type calls int

func (c *calls) Type() string   { return "calls" }
func (c *calls) String() string { return strconv.Itoa(int(max(1, *c))) }

func (c *calls) Set(text string) error {
	n, err := quantity.Parse(text)
	if err == nil && (n < 1 || n > math.MaxInt) {
		err = errors.New("want a whole number from 1 on")
	}
	if err != nil {
		return err
	}
	*c = calls(n)
	return nil
}

// parsed reads a flag: NAME:* stands for NAME and for all candidates that are NAME:PARAMETERS, as hot does
// where updates add rows.
func parsed(flag string, names []string, c device.Call) (list []impl.Spec, err error) {
	all := slices.Concat(impl.Candidates(), impl.Tables(), impl.Widths())
	if c.Wide() {
		all = impl.Wide()
	}
	expanded := map[impl.Spec]bool{}
	for _, n := range impl.Split(strings.Join(names, ",")) {
		base, several := strings.CutSuffix(n, ":*")
		if !several && !(c.Wide() && n == impl.Hot.String()) {
			v, err := c.Parse(n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", flag, err)
			}
			if !expanded[v] {
				list = append(list, v)
			}
			continue
		}
		found := false
		for _, v := range all {
			if name, _, _ := strings.Cut(v.String(), ":"); name == base {
				found, expanded[v] = true, true
				if !slices.Contains(list, v) {
					list = append(list, v)
				}
			}
		}
		if !found {
			return nil, command.Usagef("%s %s: no candidate is called %s", flag, n, base)
		}
	}
	return list, nil
}

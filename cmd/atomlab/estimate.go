package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/estimate"
)

const estimateLong = `estimate makes profiles of GPUs that were not measured, by one rule, from public
figures and the profile of a measured GPU, the base. Published values are used
as they are; everything else is labelled as an estimate.
doc/results/ESTIMATES.md describes the rule, and the errors of such profiles
where both exist.

Without NAME it makes the profiles of all devices whose figures are known but
which were not measured. --figures adds figures of further devices, in the form
of lab/estimate/figures.json; their devices may belong to its groups, such as
sm_86. Measurements by atomprobe replace an estimate.`

const estimateExample = `  atomlab estimate --out profiles
  atomlab estimate --out . a100 rtx4090
  atomlab estimate --out . --base gtx980 h100
  atomlab estimate --out . --figures mine.json rtx3070`

func newEstimate(e *env) *cobra.Command {
	var folder, figures, base string
	cmd := &cobra.Command{
		Use:     "estimate --out DIR [NAME...]",
		Short:   "Make profiles of GPUs that nobody measured, of public figures",
		Long:    estimateLong,
		Example: estimateExample,
		Args:    cobra.ArbitraryArgs,
	}
	f := cmd.Flags()
	f.StringVar(&folder, "out", "", "`folder` to write NAME.json into")
	f.StringVar(&figures, "figures", "", input.AtMost(wholefile.Most, "`file` of figures of further devices"))
	f.StringVar(&base, "base", "",
		input.AtMost(device.MostBytes, "`name` of a device with figures, or file of its profile "+
			"(default: the nearest measured one)"))
	cmd.RunE = command.Action(func(_ *cobra.Command, args []string) error {
		if folder == "" {
			return command.Usagef("estimate needs --out, the folder of the profiles")
		}
		return e.estimate(folder, figures, base, args)
	})
	return cmd
}

// estimatedProfile is what was made of one device's figures.
type estimatedProfile struct {
	Name      string `json:"name"`
	Base      string `json:"base"`
	Documents int    `json:"from_documents"` // quantities
	Estimated int    `json:"estimated"`
	File      string `json:"file"`
}

func (e *env) estimate(folder, more, base string, names []string) error {
	figures, err := estimate.Public()
	if err != nil {
		return err
	}
	if more != "" {
		data, err := wholefile.Read(more, wholefile.Most)
		if err == nil {
			err = figures.Add(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", more, err)
		}
	}
	among, err := estimate.Measured()
	if base != "" {
		var p *device.Profile
		p, err = device.Load(base)
		among = []*device.Profile{p}
	}
	if err != nil {
		return err
	}
	if len(names) == 0 {
		names = figures.Builtin()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var doc struct {
		Profiles []estimatedProfile `json:"profiles"`
	}
	for _, name := range names {
		made, err := writeEstimate(figures, name, among, folder)
		if err != nil {
			return err
		}
		doc.Profiles = append(doc.Profiles, made)
	}
	return e.Emit(doc, func(w *bytes.Buffer) {
		for _, p := range doc.Profiles {
			report.Fprintf(w, "%s: %d quantities from documents, %d estimated from %s\n", p.File, p.Documents,
				p.Estimated, p.Base)
		}
	})
}

// writeEstimate makes a profile and writes it.
func writeEstimate(figures *estimate.File, name string, among []*device.Profile, folder string) (
	made estimatedProfile, err error) {
	base, err := figures.Nearest(name, among)
	if err != nil {
		return made, err
	}
	p, err := figures.Profile(name, base)
	if err != nil {
		return made, err
	}
	data, err := p.Encode()
	if err != nil {
		return made, err
	}
	made = estimatedProfile{Name: name, Base: base.Name, File: filepath.Join(folder, name+".json")}
	p.Facts(func(f device.Fact) {
		if f.Estimated() {
			made.Estimated++
		} else {
			made.Documents++
		}
	})
	return made, wholefile.Write(made.File, data)
}

package synth_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/google/go-cmp/cmp"
)

func TestDefaultsAreCompletedWithinK(t *testing.T) {
	for text, want := range map[string]string{
		"uniform:k=7,n=3":               "uniform:n=3,k=7,seed=0",
		"uniform:k=64Ki,n=1.5M":         "uniform:n=1500000,k=65536,seed=0",
		"hotspot:n=3,k=2":               "hotspot:n=3,k=2,seed=0,h=2,p=0.9,shuffle=0",
		"zipf:n=3,k=2,s=1.50,seed=9":    "zipf:n=3,k=2,seed=9,s=1.5,shuffle=0",
		"stride:n=3,k=2000000,step=1e6": "stride:n=3,k=2000000,seed=0,step=1000000",
		"cells:n=9,k=8,shift=0.00001":   "cells:n=9,k=8,seed=0,ppc=10,shift=1e-05",
		"mixture:n=3,k=99,of=runs:len=4+zipf:share=0.5": "mixture:n=3,k=99,seed=0,block=0," +
			"of=runs:len=4:fixed=0+zipf:s=1:shuffle=0:share=0.5",
	} {
		if have := mustParse(t, text).String(); have != want {
			t.Errorf("%s prints as %s, want %s", text, have, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]error{
		"uniform:n=2147483647,k=1":             nil, // the most
		"uniform:n=1,k=4294967295":             nil,
		"":                                     synth.ErrFamily,
		"normal:n=1,k=1":                       synth.ErrFamily,
		"Uniform:n=1,k=1":                      synth.ErrFamily,
		"uniform":                              synth.ErrSyntax,
		"uniform:":                             synth.ErrSyntax,
		"uniform:n=1,k=1,":                     synth.ErrSyntax,
		"uniform:n=1,k=1,=3":                   synth.ErrSyntax,
		"uniform:n=1":                          synth.ErrParam,
		"uniform:k=1":                          synth.ErrParam,
		"uniform:n=0,k=1":                      synth.ErrParam,
		"uniform:n=1,k=0":                      synth.ErrParam,
		"uniform:n=-1,k=1":                     synth.ErrParam,
		"uniform:n=1,k=4294967296":             synth.ErrParam,
		"uniform:n=2147483648,k=1":             synth.ErrParam,
		"uniform:n=64K,k=1":                    synth.ErrParam,
		"uniform:n=1,k=1,n=1":                  synth.ErrParam,
		"uniform:n=1,k=1,s=1":                  synth.ErrParam,
		"uniform:n=1,k=1,of=zipf+zipf":         synth.ErrFamily,
		"zipf:n=1,k=1,s=3.01":                  synth.ErrParam,
		"zipf:n=1,k=1,s=nan":                   synth.ErrParam,
		"zipf:n=1,k=1,s=0x1p0":                 synth.ErrParam,
		"zipf:n=1,k=1,shuffle=0.5":             synth.ErrParam,
		"hotspot:n=1,k=3,h=4":                  synth.ErrParam,
		"constant:n=1,k=3,at=3":                synth.ErrParam,
		"mixture:n=1,k=1":                      synth.ErrFamily,
		"mixture:n=1,k=1,of=zipf":              synth.ErrFamily,
		"mixture:n=1,k=1,of=zipf+mixture":      synth.ErrFamily,
		"mixture:n=1,k=1,of=zipf+":             synth.ErrFamily,
		"mixture:n=1,k=1,of=zipf+zipf:s":       synth.ErrSyntax,
		"mixture:n=1,k=1,of=zipf+zipf:t=1":     synth.ErrParam,
		"mixture:n=1,k=1,of=zipf+zipf:share=0": synth.ErrParam,
	} {
		if s, err := synth.Parse(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, error %v, want %v", text, s, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, family := range synth.Families() {
		f.Add(family.Name + ":n=100,k=10,seed=3")
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s synth.Spec
		var err error
		allocation.Bound(t, len(text), func() { s, err = synth.Parse(text) })
		if err != nil {
			if !errors.Is(err, synth.ErrSyntax) && !errors.Is(err, synth.ErrFamily) &&
				!errors.Is(err, synth.ErrParam) {
				t.Fatalf("undocumented error %v", err)
			}
			return
		}
		back, err := synth.Parse(s.String())
		if err != nil {
			t.Fatalf("%q prints as %q: %v", text, s, err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Fatalf("%q prints as %q:\n%s", text, s, diff)
		}
		if s.N > 10000 {
			s.N = 10000
		}
		if stream, err := synth.Generate(s); err != nil || slices.Max(stream) >= s.K {
			t.Fatalf("%v: error %v, or a target beyond k", s, err)
		}
	})
}

package main

import (
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzParse: each fault of a list is whole.
func FuzzParse(f *testing.F) {
	f.Add("A fault\nfile a/b.go\n- x\n+ y\ntest TestB\n\n# a note\n\nB\nfile c.go\n- x\n+\ntest T p\n")
	f.Fuzz(func(t *testing.T, text string) {
		var all []fault
		var err error
		allocation.Bound(t, 16*len(text), func() { all, err = parse(text) })
		if err != nil {
			return
		}
		for _, one := range all {
			if one.name == "" || one.file == "" || one.old == "" || one.old == one.now || one.tests == "" {
				t.Errorf("%+v", one)
			}
		}
	})
}

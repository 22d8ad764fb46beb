package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// constraintsDocument is what choose was told beside stream, device and call.
type constraintsDocument struct {
	Relaid        bool    `json:"relaid"`
	Deterministic bool    `json:"deterministic"`
	NoSort        bool    `json:"no_sort"`
	Cautious      bool    `json:"cautious"`
	MemoryBytes   *uint64 `json:"memory_bytes"` // beside stream and targets; null: any
}

func newConstraints(o tuner.Options) constraintsDocument {
	c := constraintsDocument{Relaid: o.Relaid, Deterministic: o.Deterministic, NoSort: o.NoSort, Cautious: o.Cautious}
	if o.MemoryBytes > 0 {
		bytes := o.MemoryBytes
		if bytes == 1 {
			bytes = 0 // the options' word for none
		}
		c.MemoryBytes = &bytes
	}
	return c
}

// text says the constraints in words after a semicolon, "" where there are none.
func (c constraintsDocument) text() string {
	var words []string
	for _, w := range []struct {
		set  bool
		text string
	}{
		{c.Relaid, "re-laid updates"}, {c.Deterministic, "deterministic"},
		{c.NoSort, "no sorting"}, {c.Cautious, "cautious"},
	} {
		if w.set {
			words = append(words, w.text)
		}
	}
	if c.MemoryBytes != nil {
		words = append(words, "at most "+report.Count(*c.MemoryBytes)+" bytes of device memory")
	}
	if len(words) == 0 {
		return ""
	}
	return "; " + strings.Join(words, ", ")
}

// printLeftOut prints in one line what the constraints took out, by reason.
func printLeftOut(w *bytes.Buffer, list []tuner.LeftOut) {
	var reasons []string
	names := map[string][]string{}
	for _, l := range list {
		if names[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		names[l.Reason] = append(names[l.Reason], l.Implementation.String())
	}
	if len(reasons) == 0 {
		return
	}
	parts := make([]string, len(reasons))
	for i, r := range reasons {
		parts[i] = fmt.Sprintf("%s (%s)", strings.Join(names[r], ", "), r)
	}
	fmt.Fprintf(w, "left out: %s\n", strings.Join(parts, "; "))
}

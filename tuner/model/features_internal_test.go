package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
)

// TestCheckStats: statistics are refused where there are none, of warps of another size, and what
// no stream has.
func TestCheckStats(t *testing.T) {
	for want, change := range map[string]func(s *collision.Stats){
		"":                func(*collision.Stats) {},
		"warps of 64":     func(s *collision.Stats) { s.WarpSize = 64 },
		"warp_level 1.01": func(s *collision.Stats) { s.WarpLevel = 1.01 },
	} {
		s := ReferenceStreams[0]
		s.WarpSize = 32
		change(&s)
		switch err := CheckStats(&s, 32); {
		case want == "" && err != nil:
			t.Error(err)
		case want != "" && (!errors.Is(err, ErrStats) || !strings.Contains(err.Error(), want)):
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := CheckStats(nil, 32); !errors.Is(err, ErrStats) {
		t.Errorf("none: %v", err)
	}
}

package speed

import (
	"testing"

	"github.com/atomtune/atomtune/hwsim"
)

// TestReplayAkita: every event is handled, those that others schedule too.
func TestReplayAkita(t *testing.T) {
	s := &hwsim.Schedule{Counts: []int32{2, 0, 1, 2, 0, 0}, At: []int64{9, 4, 9, 12, 11}}
	events, cycles, err := replayAkita(s)
	if err != nil || events != 5 || cycles != 9+4+9+12+11 {
		t.Errorf("%d events, %d cycles in all, %v", events, cycles, err)
	}
}

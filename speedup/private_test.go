package speedup

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestOneTurn: a stream that gives each warp a single turn waits for its latency once, in the
// phase that starts the update. The update itself then has no bound of latency; with two turns
// it has that of one.
func TestOneTurn(t *testing.T) {
	latency := func(label, phase string) float64 {
		_, s := Analyzed(t, label, 32)
		_, of := priced(t, "private", &s, builtin(t, "h200"), device.Call{})
		return of[phase+" latency"]
	}
	// 132 SMs hold 8 blocks of 256 threads each.
	const once, twice = "uniform:n=270336,k=64,seed=1", "uniform:n=540672,k=64,seed=1"
	if us := latency(once, "update"); us != 0 || latency(once, "start") == 0 {
		t.Errorf("one turn: %v us of further latency, %v us at the start", us, latency(once, "start"))
	}
	start, further := latency(twice, "start"), latency(twice, "update")
	if further < 0.999*start || further > 1.001*start {
		t.Errorf("two turns: %v us of further latency, %v us at the start", further, start)
	}
}

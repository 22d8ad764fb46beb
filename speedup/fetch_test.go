package speedup

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// oldValues is what parts of a call on the H200 take.
func oldValues(t *testing.T, name, label string, call device.Call) map[string]float64 {
	t.Helper()
	_, s := Analyzed(t, label, 32)
	_, of := priced(t, name, &s, builtin(t, "h200"), call)
	return of
}

// TestFetchReadsTwice: both passes of private copies stream indices and values, the second stores
// the old values besides.
func TestFetchReadsTwice(t *testing.T) {
	const label, n = "uniform:n=1048576,k=1000,seed=1", 1 << 20
	near := 1e6 / builtin(t, "h200").Memory.L2Rate.Value
	for _, c := range []struct {
		call              device.Call
		reads, readsWrite float64 // bytes of an update
	}{
		{device.Call{Returns: true}, 8, 12},
		{device.Call{Returns: true, Operand: device.One}, 4, 8},
		{device.Call{Returns: true, Type: device.F64}, 12, 20},
	} {
		p := oldValues(t, "private:r=4,pad=1", label, c.call)
		count, fetch := p["count memory"], p["fetch memory"]
		if math.Abs(count-n*c.reads*near) > 1e-9 || math.Abs(fetch-n*c.readsWrite*near) > 1e-9 {
			t.Errorf("%+v: %v and %v us of memory, want %v and %v bytes an update", c.call, count, fetch,
				c.reads, c.readsWrite)
		}
	}
}

// TestFetchWaitsForTargets: a flush whose atomics return takes the latency of one for each four
// counters of a thread, and reads the targets that a block has not touched.
func TestFetchWaitsForTargets(t *testing.T) {
	const label = "uniform:n=65536,k=16384,seed=1" // 64 blocks of 1,024 threads touch a part each
	d := builtin(t, "h200")
	flush := oldValues(t, "private", label, device.Call{})
	place := oldValues(t, "private", label, device.Call{Returns: true})
	atomic := d.GlobalUpdate(device.Call{}).Latency.Value / d.Core.Clock.Value
	if waits := place["place latency"] - flush["flush latency"]; waits < 3*atomic || waits > 6*atomic {
		t.Errorf("%v us more than a flush, want 3 waits of %v us and the copies' accesses", waits, atomic)
	}
	if flush["flush memory"] != 0 || place["place memory"] == 0 {
		t.Errorf("targets read in %v us by a flush, in %v us by counters", flush["flush memory"], place["place memory"])
	}
	var b Bundle
	b.sectorsPerTarget = 1.0 / 8
	for touched, want := range map[float64]float64{0: 100, 800: 0, 400: 100 * (1 - 1.0/256)} {
		if got := b.untouchedSectors(800, touched); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v of 800 targets touched: %v sectors to read, want %v", touched, got, want)
		}
	}
}

// TestFetchMissesOnce: of hot targets the first pass counts hits alone.
func TestFetchMissesOnce(t *testing.T) {
	_, s := zipfStats(t, 1<<18, 1<<16, 1)
	_, of := priced(t, "hot:s=1024,r=8", &s, builtin(t, "h200"), device.Call{Returns: true})
	for _, bound := range []string{"slice", "chunk", "address"} {
		if of["count "+bound] != 0 || of["fetch "+bound] == 0 {
			t.Errorf("bound by %s: %v us of the first pass, %v us of the second", bound, of["count "+bound],
				of["fetch "+bound])
		}
	}
}

package micro

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/microbench/job"
)

// TestSmallerDevices: what a device cannot do is left out with a warning, and
// nothing is launched that it could not hold.
func TestSmallerDevices(t *testing.T) {
	full := quickRun().must(t).readings
	for _, c := range []struct {
		device driver.Description
		least  float64 // share of the readings of the largest device
		names  string
	}{
		{turing(), 0.9, "reduce_add"}, {pascal(), 0.8, "match_any"},
	} {
		run := runBench(c.device, Options{Quick: true}).must(t)
		readings, warnings := run.readings, run.warnings
		if share := float64(len(readings)) / float64(len(full)); share < c.least {
			t.Errorf("compute capability %d.%d: %d readings, %.2f of all", c.device.Major, c.device.Minor,
				len(readings), share)
		}
		if !strings.Contains(strings.Join(warnings, "\n"), c.names) {
			t.Errorf("no warning of %s in %q", c.names, warnings)
		}
		sms := fmt.Sprintf("sms=%d", int(c.device.Attribute("sm_count")))
		if !slices.ContainsFunc(readings,
			func(r recordings.Reading) bool { return strings.HasSuffix(r.Parameters, sms) }) {
			t.Errorf("no reading with %s", sms)
		}
	}
}

// TestLittleMemory: sizes for which there is no room are left out, others stay.
func TestLittleMemory(t *testing.T) {
	g := newBenchGPU(hopper())
	g.left = 600 << 20
	run := func(key string) job.Result {
		for _, j := range Jobs("global", g.description, Options{}) {
			if j.Key == key {
				return runAll(t, g, []job.Job{j})[0]
			}
		}
		t.Fatalf("no job %s", key)
		return job.Result{}
	}
	footprint := run("footprint u32").Readings
	if len(footprint) == 0 || footprint[len(footprint)-1].Parameters != "op=u32_add bytes=536870912" {
		t.Errorf("footprints up to %+v, want 512 MiB", footprint)
	}
	throughput := run("throughput u32 lanes")
	if len(throughput.Warnings) != 1 || !strings.Contains(throughput.Warnings[0],
		"targets=1048576 stride=1024 sms=132") {
		t.Errorf("warnings %q", throughput.Warnings)
	}
}

// TestFaults: a failure of the device, a clock that stands still or the end of the
// context ends a job with an error, and what it held is freed.
func TestFaults(t *testing.T) {
	checked := 0
	for _, j := range append(benchSuites(hopper(), Options{Quick: true}),
		Jobs("scratchpad", hopper(), Options{Quick: true})...) {
		if j.Key == hostJob {
			continue
		}
		for _, c := range []struct {
			failAt int
			fault  string
			ended  bool
			want   error
		}{{failAt: 1, want: driver.ErrLaunch}, {failAt: 3, want: driver.ErrLaunch},
			{ended: true, want: context.Canceled}} {
			g := newBenchGPU(hopper())
			g.failAt = c.failAt
			ctx, cancel := context.WithCancel(t.Context())
			if c.ended {
				cancel()
			}
			_, err := j.Run(ctx, g, nil)
			cancel()
			checked++
			if !errors.Is(err, c.want) {
				t.Errorf("%s %s: error %v, want %v", j.Suite, j.Key, err, c.want)
			}
			g.verify(t)
		}
	}
	if checked < 100 {
		t.Errorf("only %d faults were tried", checked)
	}
}

func TestStoppedClocks(t *testing.T) {
	for _, c := range []struct{ suite, key, fault string }{
		{"call", "sm_clock", "timer"}, {"global", "chain u32_add", "intervals"}, {"warp", "issue", "intervals"},
	} {
		jobs := benchSuites(hopper(), Options{Quick: true})
		i := slices.IndexFunc(jobs, func(j job.Job) bool { return j.Suite == c.suite && j.Key == c.key })
		g := newBenchGPU(hopper())
		g.fault = c.fault
		if _, err := jobs[i].Run(t.Context(), g, nil); !errors.Is(err, driver.ErrLaunch) {
			t.Errorf("%s: error %v", c.key, err)
		}
		g.verify(t)
	}
}

func TestHostRelayout(t *testing.T) {
	if !slices.ContainsFunc(Jobs("call", hopper(), Options{}),
		func(j job.Job) bool { return j.Key == hostJob }) {
		t.Errorf("suite call has no job %s", hostJob)
	}
	b := newBench(t.Context(), newBenchGPU(hopper()), hopper(), Options{Repeats: 2}, "call")
	if b.hostRelayout(4096); b.Err() != nil {
		t.Fatal(b.Err())
	}
	var got []string
	for _, r := range b.result.Readings {
		got = append(got, readingKey(r)+" "+r.Unit)
		if !(r.Value > 0) || r.Repeats != 2 || r.Kernel != "" {
			t.Errorf("%+v", r)
		}
	}
	want := []string{
		"call host_relayout bins=256 ns/update", "call host_relayout bins=65536 ns/update",
		"call host_relayout bins=1048576 ns/update",
	}
	if !slices.Equal(got, want) {
		t.Errorf("readings %q, want %q", got, want)
	}
}

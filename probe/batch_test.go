package probe

import (
	"testing"

	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/job"
)

// TestUnknownLength: a file is prepared alone, whatever its neighbours are.
func TestUnknownLength(t *testing.T) {
	file, made := job.Job{Updates: job.UnknownUpdates}, job.Job{Updates: 1 << 20}
	for _, c := range []struct {
		jobs []job.Job
		want int
	}{{[]job.Job{file, made, made}, 1}, {[]job.Job{made, made, file}, 2}, {[]job.Job{file, file}, 1},
		{[]job.Job{made, made, made}, 3}} {
		if got := nextBatch(c.jobs, 8); got != c.want {
			t.Errorf("%d jobs at once, want %d", got, c.want)
		}
	}
}

// TestStreamsTogetherFitMemory: the inputs of the streams that are prepared side
// by side, indices, two orders and the reference, take less than 3 GiB.
func TestStreamsTogetherFitMemory(t *testing.T) {
	all := calls.Streams(false)
	jobs := make([]job.Job, len(all))
	for i, s := range all {
		jobs[i].Updates = s.N
	}
	most := 0
	for at := 0; at < len(all); {
		batch := nextBatch(jobs[at:], 64)
		sum := 0
		for _, s := range all[at : at+batch] {
			sum += 12*s.N + 12*int(s.K)
		}
		most = max(most, sum)
		at += batch
	}
	if most > 3<<30 || most < 1<<28 {
		t.Errorf("%d bytes in a batch", most)
	}
}

package collision

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

var (
	ErrEmpty   = errors.New("collision: empty index stream") // which has no statistics
	ErrOptions = errors.New("collision: invalid option")     // outside its range
	ErrIndex   = errors.New("collision: index out of range") // of Options.Bins
	ErrStats   = errors.New("bad stream statistics")         // that no stream has
	ErrRows    = errors.New("collision: no stream of rows")  // for which Options.Rows asks
)

const (
	defaultWarpSize, maxWarpSize   = 32, 1024
	defaultBlockSize, maxBlockSize = 256, 1 << 16
	minSample, maxSample           = 4, 1 << 24
	maxSampled                     = 1 << 30 // updates
	maxBins, maxWorkers            = 1 << 32, 1024
)

// Options say how an index stream is cut into warps and blocks and how it is measured. The zero
// value gives exact statistics of warps of 32 and blocks of 256 updates.
type Options struct {
	WarpSize int // updates of a warp, 1 to 1024; 0 means 32
	// BlockSize is the number of updates of a block: a multiple of WarpSize,
	// at most 65536; 0 means 256, or WarpSize where that does not divide 256.
	BlockSize int
	// Bins is the number of targets K, at most 2^32; an index of K or more is
	// an error. 0 means the highest index that occurs, plus 1.
	Bins uint64
	// Padded says that an index of Inactive is not an update: its lane of the warp is inactive. Bins is
	// at most 2^32 - 1 then.
	Padded  bool
	Workers int // goroutines at once, at most 1024; 0 means GOMAXPROCS
	// Sample is how many whole blocks a random sample keeps, at least 4, and at most 2^30 updates
	// in all; 0 measures the whole stream.
	Sample int
	// WithoutHot leaves Cover and Misses of a sample at 0, which takes less time.
	WithoutHot bool
	// Rows asks how targets are used again, as rows of elements: for Stats.Rows. The stream is held in memory
	// for that, of fewer than 2^32 updates and targets, and Sample must be 0.
	Rows bool
	// Seed selects the sample, and the blocks behind HotWarps, HotSegments and Misses of an analysis
	// without Sample. The same stream, options and seed give the same sample.
	Seed uint64
}

// Validate reports the first option that lies outside its range. The error wraps ErrOptions.
func (o Options) Validate() error {
	n := o.normal()
	switch {
	case n.WarpSize < 1 || n.WarpSize > maxWarpSize:
		return fmt.Errorf("%w: warp size %d is not within 1 to %d", ErrOptions, n.WarpSize, maxWarpSize)
	case n.BlockSize < 1 || n.BlockSize > maxBlockSize:
		return fmt.Errorf("%w: block size %d is not within 1 to %d", ErrOptions, n.BlockSize,
			maxBlockSize)
	case n.BlockSize%n.WarpSize != 0:
		return fmt.Errorf("%w: block size %d is not a multiple of warp size %d", ErrOptions,
			n.BlockSize, n.WarpSize)
	case n.Bins > maxBins:
		return fmt.Errorf("%w: %d bins are more than 2^32", ErrOptions, n.Bins)
	case n.Padded && n.Bins > Inactive:
		return fmt.Errorf("%w: %d bins of a padded stream are more than 2^32 - 1", ErrOptions, n.Bins)
	case n.Workers < 1 || n.Workers > maxWorkers:
		return fmt.Errorf("%w: %d workers are not within 0 to %d", ErrOptions, o.Workers, maxWorkers)
	case n.Sample != 0 && (n.Sample < minSample || n.Sample > maxSample):
		return fmt.Errorf("%w: a sample of %d blocks; want 0, or %d to %d", ErrOptions, n.Sample,
			minSample, maxSample)
	case n.Rows && n.Sample != 0:
		return fmt.Errorf("%w: a sample does not show how rows are used again", ErrOptions)
	case n.Sample > maxSampled/n.BlockSize:
		return fmt.Errorf("%w: a sample of %d blocks of %d updates, more than 2^30 in all", ErrOptions,
			n.Sample, n.BlockSize)
	}
	return nil
}

func (o Options) normal() Options {
	o.WarpSize = cmp.Or(o.WarpSize, defaultWarpSize)
	o.Workers = cmp.Or(o.Workers, min(runtime.GOMAXPROCS(0), maxWorkers))
	if o.BlockSize == 0 {
		o.BlockSize = defaultBlockSize
		if o.WarpSize > 0 && defaultBlockSize%o.WarpSize != 0 {
			o.BlockSize = o.WarpSize
		}
	}
	return o
}

// check reports the first index of a stretch that is out of range; so many updates stand before it.
func (o Options) check(indices []uint32, before uint64) error {
	at := -1
	if o.Bins > 0 {
		at = kernel.Beyond(indices, o.Bins, o.Padded)
	}
	if at < 0 {
		return nil
	}
	return fmt.Errorf("%w: update %d has index %d, the stream has %d bins", ErrIndex, before+uint64(at), indices[at],
		o.Bins)
}

func (o Options) kernel() *kernel.Kernel {
	return kernel.New(kernel.Options{WarpSize: o.WarpSize, BlockSize: o.BlockSize, Padded: o.Padded})
}

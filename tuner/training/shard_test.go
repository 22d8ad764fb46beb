package training_test

import (
	"testing"

	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// classes returns how many of the first lines of a sweep, long ones, whole ones and
// others, belong to a shard.
func classes(part training.Shard, lines int) (counts [3]int) {
	s := model.Sweep{Points: lines, Screen: 2}
	for number := range lines {
		switch {
		case !part.Has(number):
		case number%8 == 3:
			counts[0]++
		case s.Whole(number):
			counts[1]++
		default:
			counts[2]++
		}
	}
	return counts
}

// TestShardBalance: of each class of line, whatever the number of parts, all parts get
// as many, but for one, and each line belongs to one part.
func TestShardBalance(t *testing.T) {
	for of := 1; of <= 17; of++ {
		for _, lines := range []int{3, 24, 200, 1150, 4096} {
			whole, sum := classes(training.Shard{}, lines), [3]int{}
			for i := range of {
				got := classes(training.Shard{Index: i, Of: of}, lines)
				for class, n := range got {
					sum[class] += n
					if least := whole[class] / of; n < least || n > least+1 {
						t.Errorf("part %d/%d of %d lines has %d of class %d, want %d or one more", i, of, lines, n,
							class, least)
					}
				}
			}
			if sum != whole || whole[0]+whole[1]+whole[2] != lines {
				t.Errorf("%d parts of %d lines have %v in all, want %v", of, lines, sum, whole)
			}
		}
	}
}

package gomezluna13

import (
	"context"

	"github.com/atomtune/atomtune/lab/papers"
)

// survey is a mean over the random patterns of each setting.
type survey map[setting]conflicts

// survey takes the settings of every vote space over the random patterns. Every
// apart-th pattern is taken apart, and every tried-th simulated.
func surveyOf(ctx context.Context, o papers.Options, apart, tried int, settings func(words int) []setting) (survey, error) {
	perSpace := (o.Patterns + batch - 1) / batch
	sums := make([][]conflicts, len(voteSpaces)*perSpace)
	err := o.Share(ctx, len(sums), func() (func(int) error, error) {
		c, err := newCounter()
		if err != nil {
			return nil, err
		}
		return func(task int) error {
			words := voteSpaces[task/perSpace]
			sums[task] = c.batch(o, words, task%perSpace, apart, tried, settings(words))
			return c.err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	all := survey{}
	for space, words := range voteSpaces {
		means := meansOf(sums[space*perSpace : (space+1)*perSpace])
		for i, s := range settings(words) {
			all[s] = means[i]
		}
	}
	return all, nil
}

package probe

import (
	"context"
	"errors"
	"fmt"
)

// runOrSkip measures a stream, or says in a warning that the device has no room for
// it. What the price of a sort takes is none of the stream's, and comes first.
func (c *callSuite) runOrSkip(ctx context.Context, g GPU, in *callInput) (Result, error) {
	if c.price == nil && c.predicts() {
		price, err := c.measurePrice(g)
		if err != nil {
			return Result{}, err
		}
		c.price = price
	}
	result, err := c.run(ctx, g, in)
	if !errors.Is(err, ErrMemory) {
		return result, err
	}
	return Result{
		Wrong:    result.Wrong,
		Warnings: []string{fmt.Sprintf("suite calls, %s: left out, since the device has no room for it: %v", in.label, err)},
	}, nil
}

package reproduce
import "context"
type Image struct{}
func (Image) Validate() error { return nil }
func figure5(context.Context, Options) (Outcome, error) { return Outcome{}, nil }
func figure6(context.Context, Options) (Outcome, error) { return Outcome{}, nil }
func figure7(context.Context, Options) (Outcome, error) { return Outcome{}, nil }
func figure8(context.Context, Options) (Outcome, error) { return Outcome{}, nil }
func figure9(context.Context, Options) (Outcome, error) { return Outcome{}, nil }

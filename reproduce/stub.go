package reproduce
import "context"
type Image struct{}
func (Image) Validate() error { return nil }
func figure8(context.Context, Options) (Outcome, error) { return Outcome{}, nil }
func figure9(context.Context, Options) (Outcome, error) { return Outcome{}, nil }

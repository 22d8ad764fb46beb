package plot

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// Write writes the page to name.svg and name.png. Each is written under a
// temporary name in the same folder and then renamed, and neither is touched
// where the page cannot be drawn. Errors about the page wrap ErrFigure.
func Write(name string, page Page) error {
	svg, err := page.SVG()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	png, err := page.PNG()
	if err != nil {
		return fmt.Errorf("drawing %s: %w", name, err)
	}
	return errors.Join(wholefile.Write(name+".svg", svg), wholefile.Write(name+".png", png))
}

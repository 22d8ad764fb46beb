package plot

import (
	"bytes"
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// SVG returns the page as an SVG document, whose texts are texts. Errors wrap
// ErrFigure.
func (p Page) SVG() ([]byte, error) {
	l, err := p.layout()
	if err != nil {
		return nil, err
	}
	canvas := vgsvg.New(l.width, l.height)
	if err := l.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return nil, fmt.Errorf("writing SVG: %w", err)
	}
	// Where the Liberation fonts are missing, these have the same widths.
	const family = `style="font-family:Liberation Sans`
	return bytes.ReplaceAll(out.Bytes(), []byte(family), []byte(family+",Arial,Helvetica,sans-serif")),
		nil
}

// PNG returns the page as a PNG picture of PNGScale times its size in pixels.
// Errors wrap ErrFigure.
func (p Page) PNG() ([]byte, error) {
	l, err := p.layout()
	if err != nil {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(PNGScale*96))
	if err := l.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&out); err != nil {
		return nil, fmt.Errorf("writing PNG: %w", err)
	}
	return out.Bytes(), nil
}

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

package plot

import (
	"bytes"
	"errors"
	"fmt"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// SVG returns the page as an SVG document, whose texts are texts. Errors wrap
// ErrFigure.
func (p Page) SVG() ([]byte, error) {
	data, err := p.render(func(width, height vg.Length) vg.CanvasWriterTo {
		return vgsvg.New(width, height)
	})
	// Where the Liberation fonts are missing, these have the same widths.
	const family = `style="font-family:Liberation Sans`
	return bytes.ReplaceAll(data, []byte(family), []byte(family+",Arial,Helvetica,sans-serif")), err
}

// PNG returns the page as a PNG picture of PNGScale times its size in pixels.
// Errors wrap ErrFigure.
func (p Page) PNG() ([]byte, error) {
	return p.render(func(width, height vg.Length) vg.CanvasWriterTo {
		canvas := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(PNGScale*96))
		return vgimg.PngCanvas{Canvas: canvas}
	})
}

func (p Page) render(on func(width, height vg.Length) vg.CanvasWriterTo) ([]byte, error) {
	l, err := p.layout()
	if err != nil {
		return nil, err
	}
	canvas := on(l.width, l.height)
	if err := l.draw(draw.New(canvas)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err = canvas.WriteTo(&out)
	return out.Bytes(), err
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

package chart

// Row is a bar of a picture of rows, with its interval: Low and High are 0 where it has none.
type Row struct {
	Name, Note       string
	Value, Low, High float64
	Chosen           bool
}

// Rows is a picture of horizontal bars from an origin of a common axis, each under its name and note.
type Rows struct {
	ID, Title, Description string
	Axis                   Axis
	Origin                 float64
	Rows                   []Row
}

const (
	rowsWidth  = 390
	rowHeight  = 36
	barHeight  = 9
	rowsMargin = 12 // on both sides
	rowsTop    = 42
)

type rowsFrame struct {
	canvas
	*Rows
	bottom float64
}

func (r *Rows) SVG() string {
	f := rowsFrame{Rows: r, bottom: float64(rowsTop + rowHeight*len(r.Rows))}
	f.axis()
	for i := range r.Rows {
		f.row(&r.Rows[i], float64(rowsTop+rowHeight*i))
	}
	return f.svg(r.ID, r.Title, r.Description, rowsWidth, f.bottom+8)
}

func (f *rowsFrame) x(v float64) float64 {
	place := min(max(f.Axis.Scale.Place(v), 0), 1)
	return rowsMargin + place*(rowsWidth-2*rowsMargin)
}

func (f *rowsFrame) axis() {
	f.text("axis", "", 2, 14, f.Axis.Title)
	end := 0.0
	for _, v := range f.Axis.Scale.Ticks(9) {
		class, x := "grid", f.x(v)
		if v == f.Origin {
			class = "base"
		}
		f.line(class, x, rowsTop-4, x, f.bottom)
		label := f.Axis.Label(v)
		half := textWidth(label) / 2
		if middle := min(max(x, half), rowsWidth-half); middle-half >= end {
			f.text("tick", "middle", middle, rowsTop-9, label)
			end = middle + half + labelGap
		}
	}
}

// row draws a bar with its texts above it; a note that has no room is left out. An arrow says that the value
// lies beyond the axis.
func (f *rowsFrame) row(r *Row, top float64) {
	chosen := ""
	if r.Chosen {
		chosen = " chosen"
	}
	text := top + 15
	f.plate(rowsMargin-2, text, codeWidth(r.Name)+4)
	f.text("name"+chosen, "", rowsMargin, text, r.Name)
	if codeWidth(r.Name)+textWidth(r.Note)+labelGap < rowsWidth-2*rowsMargin {
		f.plate(rowsWidth-rowsMargin-textWidth(r.Note)-2, text, textWidth(r.Note)+4)
		f.text("tick", "end", rowsWidth-rowsMargin, text, r.Note)
	}
	from, to, bar := f.x(f.Origin), f.x(r.Value), top+20
	f.rect("bar"+chosen, min(from, to), bar, max(max(from, to)-min(from, to), 1), barHeight)
	switch {
	case f.Axis.Scale.Place(r.Value) > 1:
		f.text("tick", "", rowsWidth-rowsMargin, bar+barHeight, "▸")
		return
	case r.High == 0:
		return
	}
	middle := bar + barHeight/2.0
	low, high, upper, lower := number(f.x(r.Low)), number(f.x(r.High)), number(bar-1), number(bar+barHeight+1)
	f.path("interval", "M"+low+" "+number(middle)+"H"+high+"M"+low+" "+upper+"V"+lower+"M"+high+" "+upper+"V"+lower)
}

// plate keeps the grid from running through a text.
func (f *rowsFrame) plate(x, y, width float64) { f.rect("plate", x, y-12, width, 15) }

package chart

// Row is a bar of a picture of rows, with its interval: Low and High are 0 where it has none.
type Row struct {
	Name, Note       string
	Value, Low, High float64
	Chosen           bool
}

// Rows is a picture of horizontal bars, one under the other, from an origin of a common axis. Name
// and note stand above each bar.
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

// rowsFrame is a picture of rows with the canvas that it is drawn on.
type rowsFrame struct {
	canvas
	*Rows
	bottom float64
}

// SVG returns the picture.
func (r *Rows) SVG() string {
	f := rowsFrame{Rows: r, bottom: float64(rowsTop + rowHeight*len(r.Rows))}
	f.picture(r.ID, r.Title, r.Description, rowsWidth, f.bottom+8)
	f.axis()
	for i := range r.Rows {
		f.row(&r.Rows[i], float64(rowsTop+rowHeight*i))
	}
	f.end()
	return f.String()
}

func (f *rowsFrame) x(v float64) float64 {
	place := min(max(f.Axis.Scale.Place(v), 0), 1)
	return rowsMargin + float64(place*(rowsWidth-2*rowsMargin))
}

// axis draws its title and ticks above the rows.
func (f *rowsFrame) axis() {
	f.text("text", f.Axis.Title, "class", "axis", "x", 2.0, "y", 14.0)
	end := 0.0
	for _, v := range f.Axis.Scale.Ticks(9) {
		class, x := "grid", f.x(v)
		if v == f.Origin {
			class = "base"
		}
		f.empty("line", "class", class, "x1", x, "y1", rowsTop-4.0, "x2", x, "y2", f.bottom)
		label := f.Axis.Label(v)
		half := float64(textWidth(label) / 2)
		middle := min(max(x, half), rowsWidth-half)
		if middle-half < end {
			continue
		}
		f.text("text", label, "class", "tick", "x", middle, "y", rowsTop-9.0, "text-anchor", "middle")
		end = middle + half + labelGap
	}
}

// row draws a bar with its texts above it; a note that has no room is left out.
func (f *rowsFrame) row(r *Row, top float64) {
	class, name := "bar", "name"
	if r.Chosen {
		class, name = "bar chosen", "name chosen"
	}
	text := top + 15
	f.plate(rowsMargin-2, text, codeWidth(r.Name)+4)
	f.text("text", r.Name, "class", name, "x", float64(rowsMargin), "y", text)
	if codeWidth(r.Name)+textWidth(r.Note)+labelGap < rowsWidth-2*rowsMargin {
		f.plate(rowsWidth-rowsMargin-textWidth(r.Note)-2, text, textWidth(r.Note)+4)
		f.text("text", r.Note, "class", "tick", "x", float64(rowsWidth-rowsMargin), "y", text,
			"text-anchor", "end")
	}
	from, to, bar := f.x(f.Origin), f.x(r.Value), top+20
	f.empty("rect", "class", class, "x", min(from, to), "y", bar, "width", max(max(from, to)-min(from, to), 1),
		"height", float64(barHeight))
	if r.High == 0 {
		return
	}
	middle := bar + barHeight/2.0
	low, high := f.x(r.Low), f.x(r.High)
	f.empty("path", "class", "interval", "d", "M"+number(low)+" "+number(middle)+"H"+number(high)+
		"M"+number(low)+" "+number(bar-1)+"V"+number(bar+barHeight+1)+
		"M"+number(high)+" "+number(bar-1)+"V"+number(bar+barHeight+1))
}

// plate keeps the grid from running through a text.
func (f *rowsFrame) plate(x, y, width float64) {
	f.empty("rect", "class", "plate", "x", x, "y", y-12, "width", width, "height", 15.0)
}

package papers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// The statuses of a row.
const (
	Enforced = "enforced"  // the statement holds, and has to
	KnownGap = "known_gap" // the statement does not hold; Reason says why
	// Reading is a number of the paper beside what we find where we read the paper in another
	// way than its text. Whether it holds is told and decides nothing.
	Reading = "our_reading"
)

// Row is one statement of a paper beside what is found here.
type Row struct {
	Paper      string `json:"paper"` // its key
	Item       string `json:"item"`  // the experiment and the statement
	PaperValue Value  `json:"paper_value"`
	Ours       Value  `json:"ours"`
	Unit       string `json:"unit"` // of the values that are numbers
	Status     string `json:"status"`
	// Reason says why a known gap is one. Of an enforced row it says what was
	// compared, and by which limit the statement is taken to hold.
	Reason string `json:"reason"`

	Holds bool `json:"-"` // whether the statement holds, whatever its status
	limit bool // PaperValue is a limit, that is not to be met but to be kept
	args  []any
}

// Failure says what is wrong with the row, or "": an enforced statement does
// not hold, or a known gap has closed. It is meant for the default options;
// other images or very few patterns may change what holds.
func (r Row) Failure() string {
	switch {
	case r.Status == Enforced && !r.Holds:
		return fmt.Sprintf("%s: %s %s, the paper has %s", r.Item, r.Ours, r.Unit, r.PaperValue)
	case r.Status == KnownGap && r.Holds:
		return fmt.Sprintf("%s: the gap has closed: %s %s, the paper has %s", r.Item, r.Ours, r.Unit,
			r.PaperValue)
	}
	return ""
}

// Value is a number or a short text.
type Value struct {
	number float64
	text   string
	ends   [2]float64 // of an interval
}

// Number is the value of a number, which is finite.
func Number(v float64) Value { return Value{number: v} }

// Text is the value of a text, which is not empty.
func Text(text string) Value { return Value{text: text} }

// Interval is the value of low to high: a number where both print alike.
func Interval(low, high float64) Value {
	a, b := Number(low).String(), Number(high).String()
	if a == b {
		return Number(low)
	}
	return Value{text: a + " to " + b, ends: [2]float64{low, high}}
}

func valueOf(v any) Value {
	switch v := v.(type) {
	case Value:
		return v
	case string:
		return Text(v)
	case int:
		return Number(float64(v))
	case float64:
		return Number(v)
	case []float64:
		return Interval(slices.Min(v), slices.Max(v))
	}
	panic(fmt.Sprintf("no value of a row: %T", v))
}

// Float returns the number, and whether the value is one.
func (v Value) Float() (float64, bool) { return v.number, v.text == "" }

// span is from where to where the value lies; a text that is not an interval lies nowhere.
func (v Value) span() (low, high float64, ok bool) {
	if v.text == "" {
		return v.number, v.number, true
	}
	return v.ends[0], v.ends[1], v.ends != [2]float64{}
}

// String prints a number with four significant digits, or all of an integer's.
func (v Value) String() string {
	if v.text != "" {
		return v.text
	}
	rounded := v.rounded()
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// rounded is the number to four significant digits; integers keep theirs.
func (v Value) rounded() float64 {
	if v.number == float64(int64(v.number)) {
		return v.number
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v.number, 'g', 4, 64), 64)
	if err != nil {
		panic(err) // it reads back what it wrote
	}
	return short
}

// MarshalJSON writes a number as String prints it, or a string.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.text != "" {
		return json.Marshal(v.text)
	}
	return json.Marshal(v.rounded())
}

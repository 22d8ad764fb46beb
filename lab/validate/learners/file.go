package learners

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/tuner/model"
)

// ErrLearners reports a table of learners that WriteLearners does not write.
var ErrLearners = errors.New("malformed table of learners")

// fingerprintMark begins the first line of a table.
const fingerprintMark = "# fingerprint "

var learnerColumns = []string{
	"device", "judge", "learner", "samples", "points",
	"loss_geometric_mean", "loss_p90", "loss_max", "ln_error_rmse", "ln_error_p90",
}

// LearnersFingerprint is a hash of the journals at the paths, in whatever order,
// and of the version of models: a table with another one is stale.
func LearnersFingerprint(journals ...string) (string, error) {
	var each []string
	for _, path := range journals {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		each = append(each, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	slices.Sort(each)
	sum := sha256.Sum256(fmt.Appendf(nil, "model version %d\n%s\n", model.Version, strings.Join(each, "\n")))
	return hex.EncodeToString(sum[:]), nil
}

// WriteLearners writes a table as CSV behind a line with its fingerprint.
// Figures have six significant digits; an error in ln of a learner without times
// is empty.
func WriteLearners(path, fingerprint string, rows []LearnerRow) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, fingerprintMark+fingerprint)
	out := csv.NewWriter(&b)
	records := [][]string{learnerColumns}
	for i := range rows {
		records = append(records, rows[i].record())
	}
	if err := out.WriteAll(records); err != nil {
		return err
	}
	return wholefile.Write(path, b.Bytes())
}

func (r *LearnerRow) record() []string {
	list := []string{r.Device, r.Judge, r.Learner, strconv.Itoa(r.Samples), strconv.Itoa(r.Loss.Points)}
	figures := []float64{r.Loss.GeometricMean, r.Loss.P90, r.Loss.Max}
	if r.Error != nil {
		figures = append(figures, r.Error.RMSE, r.Error.P90)
	}
	for _, v := range figures {
		list = append(list, strconv.FormatFloat(v, 'g', 6, 64))
	}
	return append(list, make([]string, len(learnerColumns)-len(list))...)
}

// ReadLearners reads what WriteLearners wrote. Errors wrap ErrLearners and name
// file, line and value.
func ReadLearners(path string) (fingerprint string, rows []LearnerRow, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrLearners, err)
	}
	return decodeLearners(path, data)
}

func decodeLearners(name string, data []byte) (fingerprint string, rows []LearnerRow, err error) {
	first, rest, ended := bytes.Cut(data, []byte("\n"))
	fingerprint, ok := strings.CutPrefix(string(first), fingerprintMark)
	if !ended || !ok || len(fingerprint) != 2*sha256.Size {
		return "", nil, fmt.Errorf("%s:1: %w: %.80q, want a fingerprint", name, ErrLearners, first)
	}
	r := csv.NewReader(bytes.NewReader(rest))
	r.FieldsPerRecord = len(learnerColumns)
	for line := 2; ; line++ {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", nil, fmt.Errorf("%s:%d: %w: %v", name, line, ErrLearners, err)
		}
		if line == 2 {
			if !slices.Equal(record, learnerColumns) {
				return "", nil, fmt.Errorf("%s:2: %w: columns %q", name, ErrLearners, record)
			}
			continue
		}
		one, err := readLearner(record)
		if err != nil {
			return "", nil, fmt.Errorf("%s:%d: %w: %v", name, line, ErrLearners, err)
		}
		rows = append(rows, one)
	}
	if len(rows) == 0 {
		return "", nil, fmt.Errorf("%s: %w: no rows", name, ErrLearners)
	}
	return fingerprint, rows, nil
}

func readLearner(record []string) (LearnerRow, error) {
	r := LearnerRow{Device: record[0], Judge: record[1], Learner: record[2]}
	for i, into := range []*int{&r.Samples, &r.Loss.Points} {
		var err error
		if *into, err = strconv.Atoi(record[3+i]); err != nil || *into < 1 {
			return r, fmt.Errorf("%s %q, want a count above 0", learnerColumns[3+i], record[3+i])
		}
	}
	figures := []*float64{&r.Loss.GeometricMean, &r.Loss.P90, &r.Loss.Max}
	if record[8] != "" || record[9] != "" {
		r.Error = &LogError{}
		figures = append(figures, &r.Error.RMSE, &r.Error.P90)
	}
	for i, into := range figures {
		text, least := record[5+i], 1.0
		if i >= 3 {
			least = 0
		}
		var err error
		if *into, err = strconv.ParseFloat(text, 64); err != nil || !(*into >= least && *into < 1e300) {
			return r, fmt.Errorf("%s %q, want a number of at least %v", learnerColumns[5+i], text, least)
		}
	}
	return r, nil
}

// LearnersTable returns the rows as Markdown tables, one for each device and
// judge, as they come.
func LearnersTable(rows []LearnerRow) string {
	var b strings.Builder
	judge := ""
	for _, r := range rows {
		if now := r.Device + ", " + r.Judge; now != judge {
			judge = now
			fmt.Fprintf(&b, "\n| %s | fitted on | judged on | loss | ln error: rmse, p90 |\n|---|---|---|---|---|\n", judge)
		}
		off := "-"
		if r.Error != nil {
			off = fmt.Sprintf("%.3f, %.3f", r.Error.RMSE, r.Error.P90)
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %.3f, %.2f, %.2f | %s |\n", r.Learner, r.Samples, r.Loss.Points, r.Loss.GeometricMean, r.Loss.P90, r.Loss.Max, off)
	}
	return b.String()
}

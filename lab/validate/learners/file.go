package learners

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
)

// ErrLearners reports a table of learners that WriteLearners does not write.
var ErrLearners = errors.New("malformed table of learners")

// learnersFile is the table of learners that the program holds, which `atomlab
// validate tuner --learners` makes.
const learnersFile = "learners.csv"

//go:embed learners.csv
var learnersText []byte

// KnownLearners are the rows of the program's own table.
func KnownLearners() ([]LearnerRow, error) {
	_, rows, err := DecodeLearners(learnersFile, learnersText)
	return rows, err
}

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
		data, err := wholefile.Read(path, wholefile.Most)
		if err != nil {
			return "", err
		}
		each = append(each, fmt.Sprintf("%x", sha256.Sum256(data)))
	}
	slices.Sort(each)
	all := fmt.Appendf(nil, "model version %d\n%s\n", model.Version, strings.Join(each, "\n"))
	return fmt.Sprintf("%x", sha256.Sum256(all)), nil
}

// WriteLearners writes a table as CSV behind a line with its fingerprint.
// Figures have six significant digits; an error in ln of a learner without times
// is empty.
func WriteLearners(path, fingerprint string, rows []LearnerRow) error {
	var b bytes.Buffer
	fmt.Fprintln(&b, fingerprintMark+fingerprint)
	records := [][]string{learnerColumns}
	for _, r := range rows {
		records = append(records, r.record())
	}
	if err := csv.NewWriter(&b).WriteAll(records); err != nil {
		return err
	}
	return wholefile.Write(path, b.Bytes())
}

// figures are the numbers of a row that are no counts, in the order of the columns.
func (r *LearnerRow) figures() []*float64 {
	list := []*float64{&r.Loss.GeometricMean, &r.Loss.P90, &r.Loss.Max}
	if r.Error != nil {
		list = append(list, &r.Error.RMSE, &r.Error.P90)
	}
	return list
}

func (r LearnerRow) record() []string {
	list := []string{
		r.Device, r.Judge, r.Learner, strconv.Itoa(r.Samples), strconv.Itoa(r.Loss.Points),
	}
	for _, v := range r.figures() {
		list = append(list, strconv.FormatFloat(*v, 'g', 6, 64))
	}
	return append(list, make([]string, len(learnerColumns)-len(list))...)
}

// DecodeLearners reads what WriteLearners wrote. Errors wrap ErrLearners and name
// file, line and value.
func DecodeLearners(name string, data []byte) (fingerprint string, rows []LearnerRow, err error) {
	first, rest, ended := bytes.Cut(data, []byte("\n"))
	fingerprint, ok := strings.CutPrefix(string(first), fingerprintMark)
	if !ended || !ok || len(fingerprint) != 2*sha256.Size {
		return "", nil, fmt.Errorf("%w: %s:1: %.80q, want a fingerprint", ErrLearners, name, first)
	}
	err = validate.ReadCSV(name, 1, rest, learnerColumns, func(record []string) error {
		r, err := readLearner(record)
		rows = append(rows, r)
		return err
	})
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: no rows", name)
	}
	if err != nil {
		return "", nil, fmt.Errorf("%w: %w", ErrLearners, err)
	}
	return fingerprint, rows, nil
}

func readLearner(record []string) (r LearnerRow, err error) {
	r = LearnerRow{Device: record[0], Judge: record[1], Learner: record[2]}
	for i, into := range []*int{&r.Samples, &r.Loss.Points} {
		if *into, err = strconv.Atoi(record[3+i]); err != nil || *into < 1 {
			return r, fmt.Errorf("%s %q, want a count above 0", learnerColumns[3+i], record[3+i])
		}
	}
	if record[8] != "" || record[9] != "" {
		r.Error = &LogError{}
	}
	for i, into := range r.figures() {
		text, least := record[5+i], 1.0
		if i >= 3 {
			least = 0
		}
		if *into, err = strconv.ParseFloat(text, 64); err != nil || !(*into >= least && *into < 1e300) {
			return r, fmt.Errorf("%s %q, want a number of at least %v", learnerColumns[5+i], text, least)
		}
	}
	return r, nil
}

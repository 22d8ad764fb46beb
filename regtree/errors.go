package regtree

import "errors"

// The sentinels that this package's errors wrap. The message of each error
// names the row, column, node or option at fault.
var (
	// ErrEmpty reports a table without rows or without features.
	ErrEmpty = errors.New("empty table")
	// ErrShape reports rows, targets, weights or groups of unequal number, or
	// a row with more or fewer values than there are features.
	ErrShape = errors.New("unequal lengths")
	// ErrFeature reports a feature name that is empty, repeated or not UTF-8.
	ErrFeature = errors.New("bad feature name")
	// ErrNotFinite reports a NaN or an infinity.
	ErrNotFinite = errors.New("not a finite number")
	// ErrRange reports a finite number too large or too small to compute with.
	ErrRange = errors.New("number out of range")
	// ErrOptions reports an option that makes no sense.
	ErrOptions = errors.New("bad options")
	// ErrFolds reports a cross-validation that the table cannot support, such
	// as more folds than rows or a single group.
	ErrFolds = errors.New("bad folds")
	// ErrTree reports nodes that do not form one binary tree over the features.
	ErrTree = errors.New("malformed tree")
	// ErrEncoding reports JSON that is not an encoded tree.
	ErrEncoding = errors.New("malformed encoding")
	// ErrVersion reports an encoded tree of another format or version.
	ErrVersion = errors.New("unsupported version")
)

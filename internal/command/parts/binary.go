package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Binary is a hash of the program's file: programs of another simulator have another one.
func Binary() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close() // it was only read
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

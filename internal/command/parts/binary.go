package parts

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
)

// Binary is a hash of the program's file: programs of another simulator have another one.
func Binary() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	program, err := os.ReadFile(path)
	sum := sha256.Sum256(program)
	return hex.EncodeToString(sum[:8]), err
}

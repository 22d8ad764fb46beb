package plot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

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
	return errors.Join(writeFile(name+".svg", svg), writeFile(name+".png", png))
}

func writeFile(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

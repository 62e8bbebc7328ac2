package main

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
)

// chartFolder has the Helm chart.
const chartFolder = "packaging/chart"

// writeChart packs the chart as Helm does, in this release's version. `helm package` itself would write the time of day
// into the archive, so that no two were the same.
func (r release) writeChart() error {
	var files []packed
	root := filepath.Join(r.source, filepath.FromSlash(chartFolder))
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error { // in the order of names
		if err != nil || entry.IsDir() {
			return err
		}
		inside, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		content, err := r.template(path.Join(chartFolder, inside))
		files = append(files, packed{path.Join(server, inside), 0o644, content})
		return err
	})
	if err != nil {
		return fmt.Errorf("pack the chart: %w", err)
	}
	content, err := tarball(files)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(r.output, server+"-"+r.version+".tgz"), content)
}

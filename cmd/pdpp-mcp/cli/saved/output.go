package saved

import "io"

// Output is standard output, or a partial file until it is published.
type Output struct {
	io.Writer
	part *part // nil for standard output, and after publishing
}

// Open opens the output. The caller must Discard it after use, which has no effect after Publish.
func (t *Target) Open() (*Output, error) {
	if !t.IsFile() {
		return &Output{Writer: t.Terminal.Out}, nil
	}
	part, err := t.newPart()
	return &Output{part, part}, err
}

// Publish gives the file its name.
func (o *Output) Publish() error {
	if o.part == nil {
		return nil
	}
	complete := o.part
	o.part = nil
	return complete.publish()
}

// Discard removes a file that was not published.
func (o *Output) Discard() {
	if o.part != nil {
		_ = o.part.remove() // the command has failed already
	}
}

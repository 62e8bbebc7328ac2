package saved

import "io"

// Output is the output of a command: standard output, or a partial file that gets its name when it is published.
type Output struct {
	io.Writer
	part *part // nil: standard output, or already published
}

// Open opens the output. The caller must Discard it after use, which does nothing after Publish.
func (t *Target) Open() (*Output, error) {
	if !t.IsFile() {
		return &Output{Writer: t.Terminal.Out}, nil
	}
	made, err := t.newPart()
	return &Output{made, made}, err
}

// Publish gives a file its name.
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

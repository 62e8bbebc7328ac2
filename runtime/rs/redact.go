package rs

import (
	"bytes"
	"errors"
	"net/url"
	"slices"
	"strings"
)

const redacted = "[redacted]"

// redactor takes one bearer out of whatever is shown (R-ERR-6): as it is, percent-encoded as in a
// URL, and with the slashes escaped as some JSON writers do.
type redactor struct {
	spellings []string
}

func newRedactor(bearer string) redactor {
	spellings := []string{bearer}
	for _, other := range []string{
		url.QueryEscape(bearer),
		url.PathEscape(bearer),
		strings.ReplaceAll(bearer, "/", `\/`),
	} {
		if !slices.Contains(spellings, other) {
			spellings = append(spellings, other)
		}
	}
	return redactor{spellings}
}

func (r redactor) text(text string) string {
	for _, spelling := range r.spellings {
		text = strings.ReplaceAll(text, spelling, redacted)
	}
	return text
}

// bytes gives the slice itself when it holds no bearer, which is nearly always.
func (r redactor) bytes(body []byte) []byte {
	for _, spelling := range r.spellings {
		if bytes.Contains(body, []byte(spelling)) {
			body = bytes.ReplaceAll(body, []byte(spelling), []byte(redacted))
		}
	}
	return body
}

// cause keeps an error as it is, unless its text repeats the bearer. Package http quotes what a
// server sent when it could not be read as HTTP.
func (r redactor) cause(err error) error {
	if err == nil {
		return nil
	}
	if shown := r.text(err.Error()); shown != err.Error() {
		return errors.New(shown)
	}
	return err
}

// request is a request without the bearer. A request that holds it is one that nobody should send again.
func (r redactor) request(asked Request) Request {
	clean := Request{Path: Path(r.text(string(asked.Path))), Sources: asked.Sources, Optional: asked.Optional}
	for _, parameter := range asked.Query.Parameters() {
		clean.Query.Set(r.text(parameter.Name), r.text(parameter.Value))
	}
	return clean
}

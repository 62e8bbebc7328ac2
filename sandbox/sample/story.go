package sample

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The story is plain text, to be read and edited as such; each file says at its top how it is written.
//
//go:embed story/*.txt story/generated/*.txt
var storyFiles embed.FS

// piece is what stands between two lines that begin with "== ": a mail, an issue, an attachment.
type piece struct {
	head    []string // of its first line, between bars
	headers map[string]string
	text    string
}

var headerLine = regexp.MustCompile(`^([a-z]+): (.*)$`)

// story is what a dataset is made of. The files are part of the program, so a missing one is a mistake in it.
type story struct {
	seed   uint64
	person uint64            // 0 is Nora Weiss
	facts  map[string]string // fill the templates in the files
	family []string          // user ids of the music account
	trip   trip
}

// trip is the time that the person spends in another time zone.
type trip struct {
	zone        *time.Location
	first, past time.Time
}

// includes reports whether a time is during the trip.
func (t trip) includes(at time.Time) bool { return !at.Before(t.first) && at.Before(t.past) }

// text returns a file of the story. A generated person's file comes before Nora's.
func (s story) text(name string) string {
	content, err := storyFiles.ReadFile("story/generated/" + name + ".txt")
	if s.person == 0 || err != nil {
		content, err = storyFiles.ReadFile("story/" + name + ".txt")
	}
	if err != nil {
		panic(fmt.Errorf("read sample story: %w", err))
	}
	return s.fill(string(content))
}

// pieces returns the pieces of a file in order.
func (s story) pieces(name string) []piece {
	var found []piece
	for _, section := range strings.Split("\n"+s.text(name), "\n== ")[1:] {
		first, rest, _ := strings.Cut(section, "\n")
		p := piece{head: columns(first), headers: map[string]string{}}
		for {
			line, after, _ := strings.Cut(rest, "\n")
			header := headerLine.FindStringSubmatch(line)
			if header == nil {
				break
			}
			p.headers[header[1]], rest = header[2], after
		}
		p.text = strings.Trim(rest, "\n")
		found = append(found, p)
	}
	return found
}

// rows returns the lines of a file before its pieces, split at each bar.
func (s story) rows(name string) [][]string {
	var rows [][]string
	before, _, _ := strings.Cut(s.text(name), "\n== ")
	for line := range strings.Lines(before) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, columns(line))
		}
	}
	return rows
}

// columns cuts a line at its bars.
func columns(line string) []string {
	cut := strings.Split(line, "|")
	for i, column := range cut {
		cut[i] = strings.TrimSpace(column)
	}
	return cut
}

// list cuts a header at its commas.
func (p piece) list(header string) []string {
	if p.headers[header] == "" {
		return []string{}
	}
	return strings.Split(p.headers[header], ", ")
}

// has reports whether a piece carries a flag.
func (p piece) has(flag string) bool {
	return strings.Contains(" "+p.headers["flags"]+" ", " "+flag+" ")
}

// instant returns a time of the story, with its offset. A wrong one is a mistake in the story.
func instant(text string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	panic("sample story: " + text + " is no time")
}

// berlin is where Nora lives. The store links the time zones.
var berlin = must(time.LoadLocation("Europe/Berlin"))

// must is for what is wrong only when this package is.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Errorf("sample story: %w", err))
	}
	return v
}

func pointer[T any](v T) *T { return &v }

// filled is v, or nil for its zero value.
func filled[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

package errorcode

import (
	"bytes"
	"fmt"
	"strings"
)

// The markers between which a page has the codes.
const (
	begin = "<!-- codes: written by go test ./golden/errorcode -update -->\n"
	end   = "<!-- end of codes -->"
)

// MissingMarkersError is a page without a place for the codes.
type MissingMarkersError struct{}

func (*MissingMarkersError) Error() string {
	return fmt.Sprintf("the page has no place for the codes: put the lines %q and %q in it", strings.TrimSpace(begin), end)
}

// Page is a Markdown page with its codes replaced, and everything else as it was. Its error is a *MissingMarkersError.
func Page(page []byte) ([]byte, error) {
	before, rest, began := bytes.Cut(page, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !began || !ended {
		return nil, &MissingMarkersError{}
	}
	return bytes.Join([][]byte{before, []byte(begin), markdown(Sections()), []byte(end), after}, nil), nil
}

func markdown(sections []Section) []byte {
	var text bytes.Buffer
	for _, section := range sections {
		fmt.Fprintf(&text, "\n### %s\n\n%s\n\n| %s | what happened | what to do |\n|---|---|---|\n", section.Title, section.Intro, section.Keyed)
		for _, entry := range section.Entries {
			fmt.Fprintf(&text, "| %s | %s | %s |\n", keyed(entry), entry.Meaning, entry.Next)
		}
	}
	text.WriteByte('\n')
	return text.Bytes()
}

func keyed(entry Entry) string {
	if entry.Status == 0 {
		return "`" + entry.Code + "`"
	}
	return fmt.Sprintf("`%s` (%d)", entry.Code, entry.Status)
}

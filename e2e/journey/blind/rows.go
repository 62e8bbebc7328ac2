package blind

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// tableRow is a row of a text: the values of its columns, or the members of the object that it is, and what stands
// below it.
type tableRow struct {
	names  []string // nil for an object
	values []json.RawMessage
	object map[string]json.RawMessage // the row itself, or the members outside its columns
	next   []Call
}

// rowsOf reads the rows of a text: JSON arrays under the line that names their columns, or objects, each on a line, and
// what is indented below them.
func rowsOf(seen string) ([]tableRow, error) {
	var columns []string
	var rows []tableRow
	for line := range strings.SplitSeq(seen, "\n") {
		below, isBelow := strings.CutPrefix(line, "  ")
		switch {
		case strings.HasPrefix(line, "columns: "):
			if err := json.Unmarshal([]byte(strings.TrimPrefix(line, "columns: ")), &columns); err != nil {
				return nil, fmt.Errorf("read the columns: %w", err)
			}
		case strings.HasPrefix(line, "["):
			row := tableRow{names: columns}
			if err := json.Unmarshal([]byte(line), &row.values); err != nil || len(row.values) != len(columns) {
				return nil, fmt.Errorf("read a row of %d columns: %w: %s", len(columns), err, line)
			}
			rows = append(rows, row)
		case strings.HasPrefix(line, "{"):
			var row tableRow
			if err := json.Unmarshal([]byte(line), &row.object); err != nil {
				return nil, fmt.Errorf("read a row: %w", err)
			}
			rows = append(rows, row)
		case isBelow && strings.HasPrefix(below, "{") && len(rows) > 0:
			if err := json.Unmarshal([]byte(below), &rows[len(rows)-1].object); err != nil {
				return nil, fmt.Errorf("read the members outside the columns: %w", err)
			}
		case isBelow && len(rows) > 0:
			if call, ok := nextLine(below); ok {
				rows[len(rows)-1].next = append(rows[len(rows)-1].next, call)
			}
		}
	}
	return rows, nil
}

// lead returns the value of the first column, or of the member that is called so.
func (r tableRow) lead(name string) string {
	value := r.object[name]
	if r.names != nil {
		value = r.values[0]
	}
	return token{value: string(value)}.text()
}

// get returns the value of a column.
func (r tableRow) get(name string) json.RawMessage {
	for i, column := range r.names {
		if column == name {
			return r.values[i]
		}
	}
	return r.object[name]
}

// text returns the text in a column, empty when it has none.
func (r tableRow) text(name string) string {
	if text := (token{value: string(r.get(name))}).text(); text != "null" {
		return text
	}
	return ""
}

// record returns the row as a record.
func (r tableRow) record() (Row, error) {
	sent := sentRow{Handle: r.lead("handle"), Next: r.next}
	if err := sent.readObject(r.object); err != nil {
		return Row{}, err
	}
	if r.names != nil {
		sent.Data = map[string]json.RawMessage{}
		for i, name := range r.names[1:] {
			sent.Data[name] = r.values[i+1]
		}
	}
	return sent.row(), nil
}

// sentRow is a record as structured output has it.
type sentRow struct {
	Time     json.RawMessage `json:"time"` // of a row of a timeline
	Handle   string
	Deleted  bool
	Data     map[string]json.RawMessage
	Expanded json.RawMessage
	Clipped  []string
	Next     []Call
}

// readObject reads the members of a row's object.
func (s *sentRow) readObject(object map[string]json.RawMessage) error {
	for name, into := range map[string]any{
		"deleted": &s.Deleted, "data": &s.Data, "expanded": &s.Expanded,
		"clipped": &s.Clipped,
	} {
		if value, sent := object[name]; sent {
			if err := json.Unmarshal(value, into); err != nil {
				return fmt.Errorf("read %s: %w", name, err)
			}
		}
	}
	return nil
}

// clipMark ends a clipped value.
var clipMark = regexp.MustCompile(`…\[\d+ of \d+ characters shown\]$`)

// row separates the values that are shown whole from the others, which the row names and which end in a mark.
func (s sentRow) row() Row {
	if s.Time != nil && s.Data == nil {
		s.Data = map[string]json.RawMessage{}
	}
	if s.Time != nil && s.Data["time"] == nil {
		s.Data["time"] = s.Time
	}
	row := Row{
		ID: s.Handle, Deleted: s.Deleted, Values: s.Data, Clipped: map[string]string{},
		Expanded: s.Expanded, Next: s.Next,
	}
	for _, name := range s.Clipped {
		shown := token{value: string(row.Values[name])}.text()
		if mark := clipMark.FindStringIndex(shown); mark != nil {
			row.Clipped[name] = shown[:mark[0]]
			delete(row.Values, name)
		}
	}
	return row
}

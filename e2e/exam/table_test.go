package exam_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Verdicts on an answer.
const (
	right = "right"
	wrong = "wrong"
	none  = "none" // the candidate found no way to an answer
)

// mark is the verdict on one answer, and what it cost.
type mark struct {
	verdict string
	calls   int
	tokens  int // of arguments and results
}

func (m mark) String() string {
	return fmt.Sprintf("%s %d / %s", m.verdict, m.calls, grouped(m.tokens))
}

var written = regexp.MustCompile(`^(right|wrong|none) (\d+) / ([\d,]+)$`)

func readMark(cell string) (mark, bool) {
	found := written.FindStringSubmatch(cell)
	if found == nil {
		return mark{}, false
	}
	calls, _ := strconv.Atoi(found[2]) // digits, as the expression says
	tokens, _ := strconv.Atoi(strings.ReplaceAll(found[3], ",", ""))
	return mark{found[1], calls, tokens}, true
}

// grouped writes a number as 12,345.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// worse reports whether a mark is worse than the recorded one: a right answer that is not right any more or costs more,
// or a wrong one where there was none. What was not right may cost what it must.
func (m mark) worse(was mark) bool {
	if was.verdict == right {
		return m.verdict != right || m.calls > was.calls || m.tokens > was.tokens
	}
	return m.verdict == wrong && was.verdict == none
}

// marks are those of all sittings, by question and sitting.
type marks map[string]map[string]mark

func (m marks) set(question, sitting string, given mark) {
	if m[question] == nil {
		m[question] = map[string]mark{}
	}
	m[question][sitting] = given
}

// median returns the median number of tokens of some questions in a sitting.
func (m marks) median(questions []question, sitting string) int {
	var tokens []int
	for _, q := range questions {
		if given, sat := m[q.name][sitting]; sat {
			tokens = append(tokens, given.tokens)
		}
	}
	slices.Sort(tokens)
	if len(tokens) == 0 {
		return 0
	}
	return (tokens[(len(tokens)-1)/2] + tokens[len(tokens)/2]) / 2
}

func (m marks) right(questions []question, sitting string) int {
	answered := 0
	for _, q := range questions {
		if m[q.name][sitting].verdict == right {
			answered++
		}
	}
	return answered
}

// table writes marks as Markdown, one row a question and one column a sitting, group by group.
func (m marks) table(groups []group, sittings []string) string {
	rows := [][]string{append([]string{"question"}, sittings...), slices.Repeat([]string{"---"}, len(sittings)+1)}
	row := func(name string, cell func(sitting string) string) {
		cells := []string{name}
		for _, sitting := range sittings {
			cells = append(cells, cell(sitting))
		}
		rows = append(rows, cells)
	}
	for _, g := range groups {
		for _, q := range g.questions {
			row(q.name, func(sitting string) string { return m[q.name][sitting].String() })
		}
		row(g.name+": right", func(sitting string) string {
			return fmt.Sprintf("%d of %d", m.right(g.questions, sitting), len(g.questions))
		})
		row(g.name+": tokens, median", func(sitting string) string { return grouped(m.median(g.questions, sitting)) })
	}
	return aligned(rows)
}

// aligned are rows of a Markdown table whose columns stand below each other.
func aligned(rows [][]string) string {
	var text strings.Builder
	for _, cells := range rows {
		for i, cell := range cells {
			width := 0
			for _, other := range rows {
				width = max(width, len(other[i]))
			}
			filler := " "
			if cell == "---" {
				filler = "-"
			}
			text.WriteString("| " + cell + strings.Repeat(filler, width-len(cell)) + " ")
		}
		text.WriteString("|\n")
	}
	return text.String()
}

// readTable reads what table wrote.
func readTable(text string) marks {
	read := marks{}
	var sittings []string
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if cells[0] == "question" {
			sittings = cells[1:]
		}
		for i, cell := range cells[1:] {
			if given, ok := readMark(cell); ok && i < len(sittings) {
				read.set(cells[0], sittings[i], given)
			}
		}
	}
	return read
}

// worse names what rose or is not right any more, compared with marks of before.
func (m marks) worse(before marks) []string {
	var said []string
	for name, row := range m {
		for sitting, now := range row {
			if was, known := before[name][sitting]; known && now.worse(was) {
				said = append(said, fmt.Sprintf("%s, %s: %s, was %s", name, sitting, now, was))
			}
		}
	}
	slices.Sort(said)
	return said
}

package claims_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// claims are the claims about records in one channel of a result.
type claims struct {
	channel string

	rows     int
	isWhole  bool // no further page, and nothing incomplete
	count    *int // of an aggregate, or the exact count of hits
	atLeast  int  // hits, of a lower bound
	others   *int
	groups   map[string]int
	note     string   // sentences of the adapter, and its warnings
	hits     []string // ids
	left     string   // of a search: what it did not search
	complete *bool    // of a window
	total    *int     // characters of a field
}

var (
	rowsForm   = regexp.MustCompile(`(?m)^records .*?rows=(\d+).* has_more=(true|false)`)
	partForm   = regexp.MustCompile(`(?m)\bcomplete=(true|false)`)
	valueForm  = regexp.MustCompile(`(?m)^aggregate .*filtered_record_count=(\d+)`)
	othersForm = regexp.MustCompile(`\bother_count=(\d+)`)
	groupForm  = regexp.MustCompile(`(?m)^\[(null|true|false|-?[0-9.]+|"(?:[^"\\]|\\.)*"),(\d+)\]$`)
	hitsForm   = regexp.MustCompile(`(?m)^count=exact:(\d+)`)
	leftForm   = regexp.MustCompile(`(?m)^not_searched: (.*)`)
	lengthForm = regexp.MustCompile(`\btotal_chars=(\d+)`)
)

// textClaims reads the claims out of the text alone.
func textClaims(text string) claims {
	c := claims{channel: "text", note: text}
	if found := rowsForm.FindStringSubmatch(text); found != nil {
		c.rows, c.isWhole = *number(found[1]), found[2] == "false"
	}
	if found := partForm.FindStringSubmatch(text); found != nil {
		isComplete := found[1] == "true"
		c.complete, c.isWhole = &isComplete, c.isWhole && isComplete
	}
	if found := valueForm.FindStringSubmatch(text); found != nil {
		c.count = number(found[1])
		c.groups = map[string]int{}
		for _, group := range groupForm.FindAllStringSubmatch(text, -1) {
			c.groups[group[1]] = *number(group[2])
		}
	}
	if found := othersForm.FindStringSubmatch(text); found != nil {
		c.others = number(found[1])
	}
	if found := hitsForm.FindStringSubmatch(text); found != nil {
		c.count = number(found[1])
	}
	if found := leftForm.FindStringSubmatch(text); found != nil {
		c.left = found[1]
	}
	if found := lengthForm.FindStringSubmatch(text); found != nil {
		c.total = number(found[1])
	}
	return c
}

func number(digits string) *int {
	value, _ := strconv.Atoi(digits) // the forms have digits only
	return &value
}

// structuredClaims reads the claims out of the structured output alone.
func structuredClaims(structured []byte) claims {
	var read struct {
		Data struct {
			Data    []json.RawMessage `json:"data"`
			HasMore bool              `json:"has_more"`
			Count   *int              `json:"filtered_record_count"`
			Others  *int              `json:"other_count"`
			Groups  []struct {
				Key   json.RawMessage `json:"key"`
				Count int             `json:"count"`
			} `json:"groups"`
			Meta struct {
				Count struct {
					Kind  string `json:"kind"`
					Value int    `json:"value"`
				} `json:"count"`
				Warnings []json.RawMessage `json:"warnings"`
			} `json:"meta"`
		} `json:"data"`
		Reading *struct {
			Complete bool   `json:"complete"`
			Note     string `json:"note"`
		} `json:"reading"`
		Left    string `json:"not_searched"`
		Note    string `json:"note"`
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
		Window struct {
			Complete *bool `json:"complete"`
			Total    *int  `json:"total_chars"`
		} `json:"window"`
	}
	_ = json.Unmarshal(structured, &read) // other kinds of results make no claim here
	c := claims{
		channel: "structured", rows: len(read.Data.Data), isWhole: read.Data.Data != nil && !read.Data.HasMore, count: read.Data.Count,
		others: read.Data.Others, left: read.Left, note: read.Note, complete: read.Window.Complete, total: read.Window.Total,
	}
	if read.Reading != nil {
		c.isWhole, c.note = c.isWhole && read.Reading.Complete, c.note+" "+read.Reading.Note
		c.complete = &read.Reading.Complete
	}
	for _, warning := range read.Data.Meta.Warnings {
		c.note += " " + string(warning)
	}
	if read.Data.Count != nil {
		c.groups = map[string]int{}
		for _, group := range read.Data.Groups {
			c.groups[string(group.Key)] = group.Count
		}
	}
	switch read.Data.Meta.Count.Kind {
	case "exact":
		c.count = &read.Data.Meta.Count.Value
	case "lower_bound":
		c.atLeast = read.Data.Meta.Count.Value
	}
	for _, hit := range read.Results {
		c.hits = append(c.hits, hit.ID)
	}
	return c
}

// absence is a claim that no record has a value. Seen are the values that occur.
type absence struct {
	isOfRange    bool // of the records that were read, which are at least those in the range of time
	field, value string
	seen         []string
	values       *int // of the field; nil: seen are all, or there may be more
}

const quotedForm = `"(?:[^"\\]|\\.)*"`

var (
	absenceForm = regexp.MustCompile(`No record( read)? has (\w+)=(` + quotedForm + `); (?:(\d+) of (\d+)( or more)? )?` +
		`values seen: ((?:` + quotedForm + `(?:, )?)*)`)
	quotedText  = regexp.MustCompile(quotedForm)
	aloneForm   = regexp.MustCompile(`(\d+) with (\w+)(?:=(` + quotedForm + `)| (gte|gt|lte|lt) (` + quotedForm + `))`)
	togetherRow = regexp.MustCompile(`No record(?: read)? matches all conditions; records(?: read)? alone: [^.]*`)
)

// alone is a claim of how many records match one condition.
type alone struct {
	isOfRange              bool
	field, operator, value string
	count                  int
}

func (c claims) absences() (found []absence) {
	for _, each := range absenceForm.FindAllStringSubmatch(c.note, -1) {
		claim := absence{isOfRange: each[1] != "", field: each[2], value: unquoted(each[3])}
		switch values := quotedText.FindAllString(each[7], -1); {
		case each[5] == "":
			claim.values = new(len(values))
		case each[6] == "":
			claim.values = number(each[5])
		}
		for _, seen := range quotedText.FindAllString(each[7], -1) {
			claim.seen = append(claim.seen, unquoted(seen))
		}
		found = append(found, claim)
	}
	return found
}

func (c claims) alone() (found []alone) {
	for _, each := range aloneForm.FindAllStringSubmatch(c.note, -1) {
		found = append(found, alone{strings.Contains(c.note, "records read alone"), each[2], each[4], unquoted(each[3] + each[5]), *number(each[1])})
	}
	return found
}

func unquoted(quoted string) (text string) {
	_ = json.Unmarshal([]byte(quoted), &text) // the form is a JSON string
	return text
}

// notes returns the sentences that must not depend on who filtered (R-CLAIM-8).
func (c claims) notes() string {
	return strings.Join(absenceForm.FindAllString(c.note, -1), "") + strings.Join(togetherRow.FindAllString(c.note, -1), "")
}

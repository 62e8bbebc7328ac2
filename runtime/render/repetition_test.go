package render_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdppmcp/pdpp-mcp/golden"
)

// longString is the minimum length of a repeated text that costs a model tokens, in characters.
const longString = 40

// mayRepeat are the places at which a long text may be repeated, and why.
var mayRepeat = []struct {
	why    string
	places *regexp.Regexp
}{
	{
		"R-QRY-1, R-HAND-7: structured output has the cursor in the envelope, and in the call that passes it on",
		regexp.MustCompile(
			`^(data\.next_cursor|next\.arguments\.cursor)$`),
	},
	{"R-HAND-2, R-HAND-7, R-SEARCH-2: an id is shown, and is in the calls that pass it on", regexp.MustCompile(
		`^(id|data\.data\.(handle|next\.arguments\.id)|record\.id|results\.(id|evidence\.next\.arguments\.id)|content_ladder\.records\.id|` +
			`(metadata\.)?next\.arguments\.id|previous\.arguments\.id)$`)},
	{
		"R-SEARCH-7: a title that is made of label, stream and time is the same for hits of one time",
		regexp.MustCompile(`^results\.title$`),
	},
	{"R-SEARCH-5: the beginning of the evidence is in the ladder too", regexp.MustCompile(
		`^(results\.evidence\.preview|content_ladder\.records\.preview)$`)},
	{"R-QRY-1, R-QRY-6: so with a bookmark", regexp.MustCompile(
		`^(data\.next_changes_since|resume\.arguments\.changes_since)$`)},
	{
		"R-FETCH-1, R-FETCH-5: a document's title and url are also fields of its text",
		regexp.MustCompile(`^(title|url|text)$`),
	},
	{"R-FETCH-7: an expanded record stands as the server sent it", regexp.MustCompile(`^metadata\.expanded\.`)},
}

// R-BUD-4: no golden has a long text twice in one channel, unless a requirement asks for it.
func TestNothingIsRepeated(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.golden")
	if err != nil || len(paths) < 40 {
		t.Fatalf("%d goldens: %v", len(paths), err)
	}
	for _, path := range paths {
		channel, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, repeated := range repetitions(channel) {
			t.Errorf("%s: %s", path, repeated)
		}
	}
}

// The check finds a repetition in either channel.
func TestRepetitionsAreFound(t *testing.T) {
	long := strings.Repeat("word ", 10)
	for _, channel := range []string{
		fmt.Sprintf(`{"results":[{"id":"a","note":%q}],"data":{"note":%q}}`, long, "see: "+long),
		fmt.Sprintf("hit id=\"a\" note=%q\nevidence snippet=%q", long, long),
	} {
		if len(repetitions([]byte(channel))) == 0 {
			t.Errorf("finds nothing in %s", channel)
		}
	}
}

// leaf is one text of a channel and its path.
type leaf struct{ place, text string }

// repetitions returns the long texts that occur in more than one place, alone or within another.
func repetitions(channel []byte) []string {
	var leaves []leaf
	var document any
	if json.Unmarshal(channel, &document) == nil {
		leaves = leavesOf("", document)
	} else {
		leaves = tokensOf(string(channel))
	}
	var found []string
	for i, one := range leaves {
		if len(one.text) < longString {
			continue
		}
		places := []string{}
		first := true
		for j, other := range leaves {
			if strings.Contains(other.text, one.text) {
				places = append(places, other.place)
				first = first && (j >= i || other.text != one.text)
			}
		}
		if first && len(places) > 1 && !allowed(places) {
			found = append(found, fmt.Sprintf("%q is in %s", one.text, places))
		}
	}
	return found
}

func allowed(places []string) bool {
	for _, rule := range mayRepeat {
		if !slices.ContainsFunc(places, func(place string) bool { return !rule.places.MatchString(place) }) {
			return true
		}
	}
	return false
}

func leavesOf(place string, value any) []leaf {
	var leaves []leaf
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			leaves = append(leaves, leavesOf(strings.TrimPrefix(place+"."+name, "."), inner)...)
		}
	case []any:
		for _, inner := range value {
			leaves = append(leaves, leavesOf(place, inner)...)
		}
	case string:
		leaves = append(leaves, leaf{place, value})
	}
	return leaves
}

// quoted matches a JSON string in a text with its token or member.
var quoted = regexp.MustCompile(`(?:"?([\w.]+)"?[=:]\[?)?("(?:[^"\\]|\\.)*")`)

func tokensOf(text string) []leaf {
	head, window, _ := golden.Marked(text)
	var leaves []leaf
	for _, match := range quoted.FindAllStringSubmatch(head, -1) {
		var decoded string
		if json.Unmarshal([]byte(match[2]), &decoded) == nil {
			leaves = append(leaves, leaf{match[1], decoded})
		}
	}
	if window != "" {
		leaves = append(leaves, leaf{"window", window})
	}
	return leaves
}

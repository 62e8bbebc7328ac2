package office

import (
	"strconv"
	"strings"
)

// odf reads the text of OpenDocument files: of documents, spreadsheets and presentations, which have one vocabulary.
type odf struct {
	flow
	numbers  numbering
	hidden   map[string]bool // styles of hidden sheets and slides
	style    string          // that is being read
	inBody   bool
	lists    []string           // names of the open lists
	item     string             // the prefix of the next paragraph
	open     []change           // open notes and comments
	changes  map[string]*change // tracked changes by id
	changeID string             // of the one that is being read
	inserted []*change          // insertions that the text is in
	field    *string            // what text belongs to, if not to the paragraph
	cells    []odfCell          // open cells
	repeats  []int              // of the open rows
	row      int                // of the sheet
}

// odfCell is an open cell: the value that replaces its text, the one that is shown without a text, and how often it is repeated.
type odfCell struct {
	date, value string
	times       int
}

// readODF reads the styles and the content.
func readODF(f *file) error {
	var manifest struct {
		Encrypted []struct{} `xml:"file-entry>encryption-data"`
	}
	if err := f.decode("META-INF/manifest.xml", &manifest); err != nil {
		return err
	}
	if len(manifest.Encrypted) > 0 {
		return encrypted("it is protected with a password")
	}
	o := &odf{
		flow: newFlow(f), numbers: numbering{}, hidden: map[string]bool{}, changes: map[string]*change{},
	}
	if f.has("styles.xml") {
		if err := f.walk("styles.xml", visitor{start: o.startStyle}); err != nil {
			return err
		}
	}
	return f.walk("content.xml", visitor{o.start, o.end, o.data})
}

// outline is the name here of the list that numbers headings.
const outline = "outline"

// startStyle reads what styles say about lists, headings and hidden parts. It skips everything else.
func (o *odf) startStyle(e element) bool {
	name := e.Name.Local
	switch name {
	case "style", "list-style":
		o.style = e.attribute("name")
	case "outline-style":
		o.style = outline
	case "table-properties":
		if e.attribute("display") == "false" {
			o.hidden[o.style] = true
		}
	case "drawing-page-properties":
		if e.attribute("visibility") == "hidden" {
			o.hidden[o.style] = true
		}
	case "list-level-style-bullet", "list-level-style-image":
		o.numbers.set(o.style, e.number("level", 1)-1, bullet)
	case "list-level-style-number", "outline-level-style":
		o.numbers.set(o.style, e.number("level", 1)-1, odfLevel(e))
	}
	return strings.Contains(name, "style") && name != "master-styles" || strings.HasPrefix(name, "document-")
}

func odfLevel(e element) level {
	l := level{format: e.attribute("num-format"), start: e.number("start-value", 1)}
	if l.format == "" {
		return l
	}
	depth := e.number("level", 1)
	var numbers []string
	for i := max(1, depth+1-e.number("display-levels", 1)); i <= depth && i <= maxLevel; i++ {
		numbers = append(numbers, "%"+strconv.Itoa(i))
	}
	l.text = e.attribute("num-prefix") + strings.Join(numbers, ".") + e.attribute("num-suffix")
	return l
}

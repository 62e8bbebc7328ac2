package office

import "strings"

// readPPTX reads the slides in the order of the presentation. Diagrams, speaker notes and comments follow each slide.
func readPPTX(f *file) error {
	main, related, err := f.main()
	if err != nil {
		return err
	}
	var slides []string
	if err := f.walk(main, visitor{start: func(e element) bool {
		if e.Name.Local == "sldId" {
			slides = append(slides, related.part(e.relationship()))
		}
		return true
	}}); err != nil {
		return err
	}
	authors := map[string]string{}
	readAuthors := func(part string) error {
		return f.walk(part, visitor{start: func(e element) bool {
			authors[e.attribute("id")] = e.attribute("name")
			return true
		}})
	}
	readSlide := func(name string) error {
		related, err := f.relations(name)
		if err != nil {
			return err
		}
		o := newOOXML(f)
		return inOrder(
			step{[]string{name}, o.read},
			step{related.of("diagramData"), o.read},
			step{related.of("notesSlide"), o.readNotes},
			step{related.of("comments"), func(part string) error { return f.readSlideComments(part, authors) }},
		)
	}
	return inOrder(
		step{related.of("commentAuthors"), readAuthors},
		step{related.of("authors"), readAuthors},
		step{slides, readSlide},
	)
}

// notesHeading precedes the speaker notes of a slide.
const notesHeading = "[speaker notes]"

func (o *ooxml) readNotes(name string) error {
	o.capture()
	err := o.read(name)
	if notes := o.captured("\n"); notes != "" {
		o.line(notesHeading + "\n" + notes)
	}
	return err
}

// slideComment is a comment as PowerPoint wrote it before 2021, with a plain text, or since, with paragraphs and replies.
type slideComment struct {
	Author  string         `xml:"authorId,attr"`
	Date    string         `xml:"dt,attr"`
	Created string         `xml:"created,attr"`
	Text    string         `xml:"text"`
	Runs    []string       `xml:"txBody>p>r>t"`
	Replies []slideComment `xml:"replyLst>reply"`
}

func (f *file) readSlideComments(name string, authors map[string]string) error {
	var part struct {
		Comments []slideComment `xml:"cm"`
	}
	err := f.decode(name, &part)
	f.writeComments(part.Comments, authors)
	return err
}

func (f *file) writeComments(comments []slideComment, authors map[string]string) {
	for _, c := range comments {
		f.write("[comment" + credit(authors[c.Author], c.Date+c.Created) + "] " + oneLine(c.Text+strings.Join(c.Runs, "")) + "\n")
		f.writeComments(c.Replies, authors)
	}
}

package office

// readPPTX reads the slides in the order of the presentation. Diagrams, speaker notes and comments follow each slide.
func readPPTX(f *file) {
	w := newWords(f)
	main, related := f.main()
	authors := map[string]string{}
	for _, part := range related.of("commentAuthors", "authors") {
		for e := range f.elements(part) {
			authors[e.attribute("id")] = e.attribute("name")
		}
	}
	for e := range f.elements(main) {
		if e.name == "sldId" {
			w.readSlidePart(related.part(e), authors)
		}
	}
}

func (w *words) readSlidePart(part string, authors map[string]string) {
	related := w.relations(part)
	w.read(part)
	w.read(related.of("diagramData", "notesSlide")...)
	for _, part := range related.of("comments") {
		for e := range w.elements(part) {
			if e.name == "cm" {
				w.readSlideComment(e, authors)
			}
		}
	}
}

// readSlideComment writes a comment behind the replies to it, which precede it in the file.
func (f *file) readSlideComment(n node, authors map[string]string) {
	for child := range n.content() {
		switch child.name {
		case "text", "txBody":
			date := n.attribute("dt") + n.attribute("created") // before 2021, and since
			f.commentLine("comment"+credit(authors[n.attribute("authorId")], date), child.allText())
		case "replyLst", "reply":
			f.readSlideComment(child, authors)
		}
	}
}

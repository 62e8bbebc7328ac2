package office

// readPPTX reads the slides in the order of the presentation. Diagrams and speaker notes follow each slide.
func readPPTX(f *file) {
	w := newWords(f)
	main, related := f.main()
	for e := range f.elements(main) {
		if e.name == "sldId" {
			slide := related.part(e)
			w.read(slide)
			w.read(w.relations(slide).of("diagramData", "notesSlide")...)
		}
	}
}

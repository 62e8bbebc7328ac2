package emit

// viewSource is the folder that the header of the file of the view names.
const viewSource = "generator/view/source"

// View returns the Go file that embeds the page of results.
func View() []byte {
	file := newFile(viewSource)
	file.Anon("embed")
	file.Comment("viewHTML is the page that a host shows next to a result.")
	file.Comment("//go:embed view/view.html")
	file.Var().Id("viewHTML").String()
	return written(file)
}

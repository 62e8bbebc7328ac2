package office

import (
	"cmp"
	"path"
	"strings"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/document"
	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// name writes the alternative text of a picture or object, or that it is not shown.
func (w *words) name(kind string) {
	label := "[" + kind + " not shown]"
	if alternative := oneLine(w.alternative); alternative != "" {
		label = bracketed(kind, alternative)
	}
	if w.paragraph != nil {
		w.add(label)
	} else {
		w.line(label)
	}
}

// named returns an action that names an element and does not read its content.
func (w *words) named(kind string) func(node) { return func(node) { w.name(kind) } }

// drawn returns an action that reads the text of a drawing or a picture, and names it if it has none.
func (w *words) drawn(kind string) func(node) {
	return func(n node) {
		w.withAlternative(n, func() {
			if made := w.made; w.readContent(n, made) {
				w.name(kind)
			}
		})
	}
}

// readContent reads the content of an element, and reports whether it has no text.
func (w *words) readContent(n node, made int) (isEmpty bool) {
	w.content(n)
	return w.made == made
}

// withAlternative keeps the alternative text of the drawing around the one that read reads.
func (w *words) withAlternative(n node, read func()) {
	outer := w.alternative
	w.readAlternative(n)
	read()
	w.alternative = outer
}

// readAlternative reads the alternative text of a drawing.
func (w *words) readAlternative(n node) {
	w.alternative = cmp.Or(n.attribute("descr"), n.attribute("alt"), n.attribute("title"), w.alternative)
}

// readShapeProperties reads the alternative text of a shape, and the state of the form control that the shape shows.
func (w *words) readShapeProperties(n node) {
	w.readAlternative(n)
	if state := w.controls[n.attribute("id")]; state != "" {
		w.item = state + " "
	}
}

// readShape reads the text of a shape. It names a shape that has an alternative text only.
func (w *words) readShape(n node) {
	w.isMargin = false
	w.withAlternative(n, func() {
		if outer := w.alternative; w.readContent(n, w.made) && w.alternative != outer && !w.isMargin {
			w.name("drawing")
		}
	})
}

// readDiagram reads the text of a diagram, which is in another part. In slides, that part follows the slide.
func (w *words) readDiagram(n node) {
	if w.format != document.PPTX {
		w.read(w.related.part(n, "dm"))
	}
}

func (w *words) readImage(n node) { w.withAlternative(n, func() { w.name("picture") }) }

// readObject names an embedded object.
func (w *words) readObject(n node) {
	w.withAlternative(n, func() {
		kind := "object"
		for child := range n.content() {
			w.readAlternative(child)
			switch program := child.attribute("ProgID"); {
			case strings.HasPrefix(program, "Equation"):
				kind = "equation"
			case child.name == "control":
				kind = "form control"
			}
		}
		w.name(kind)
	})
}

// readFrame reads a frame of OpenDocument, which has the same content in one or more forms.
func (w *words) readFrame(n node) {
	if n.attribute("class") == "page-number" {
		return
	}
	w.withAlternative(n, func() {
		kind, made := "drawing", w.made
		for child := range n.content() {
			switch child.name {
			case "image":
				if kind == "drawing" {
					kind = "picture"
				}
			case "object":
				kind = w.readEmbedded(child)
			case "object-ole", "plugin", "applet", "floating-frame":
				kind = "object"
			case "text-box":
				kind = ""
				w.content(child)
			default:
				w.element(child)
			}
		}
		if w.made == made && (kind != "" || w.alternative != "") {
			w.name(cmp.Or(kind, "drawing"))
		}
	})
}

// readEmbedded reads an object that is an equation or a chart, and returns the kind of another one.
func (w *words) readEmbedded(n node) (kind string) {
	kind = "object"
	if made := w.made; !w.readContent(n, made) || n.attribute("href") == "" {
		return kind
	}
	name := path.Join(n.attribute("href"), "content.xml")
	for e := range w.elements(name) {
		switch {
		case e.name == "math":
			w.readEquation(e)
			return "equation"
		case e.prefix == "chart":
			alternative := w.alternative
			text := w.captured(func() { w.content(e) })
			w.alternative = "" // the ranges of cells that the chart shows
			w.nameChart(append([]string{alternative}, strings.Split(text, "\n")...))
			return ""
		}
	}
	return kind
}

func (w *words) readEquation(n node) {
	text := w.equationNode(n).String()
	if w.paragraph == nil {
		w.addParagraph("", func() { w.addEquation(text) })
	} else {
		w.addEquation(text)
	}
}

// nodeSize is about what an element of an equation takes in memory.
const nodeSize = 100

func (f *file) equationNode(n node) *equation.Node {
	e := &equation.Node{Name: n.name, Text: string(n.text)}
	f.mayMake(nodeSize)
	if len(n.attributes) > 0 {
		e.Attributes = map[string]string{}
	}
	for _, attribute := range n.attributes {
		e.Attributes[attribute.Name.Local] = attribute.Value
	}
	if n.name != "" {
		for child := range n.content() {
			e.Children = append(e.Children, f.equationNode(child))
		}
	}
	return e
}

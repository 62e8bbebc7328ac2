package office

import (
	"cmp"
	"strings"
)

// readControls reads the form controls of OpenDocument. They are shown where the text refers to them.
func (w *words) readControls(n node) {
	for child := range n.content() {
		if child.name == "" {
			continue
		}
		id := cmp.Or(child.attribute("id"))
		if text := w.controlText(child); id != "" && w.mayMake(len(text)) {
			w.controls[id] = text
		}
	}
}

// controlText returns what a control shows, such as a checked box with its label. It reads the controls in the element.
func (w *words) controlText(n node) string {
	var chosen []string
	for child := range n.content() {
		switch {
		case child.name == "option" || child.name == "item":
			if isTrue(child, "current-selected", "selected") {
				chosen = append(chosen, child.attribute("label"))
			}
		case child.name != "":
			if id := child.attribute("id"); id != "" {
				w.controls[id] = w.controlText(child)
			} else {
				w.readControls(child)
			}
		}
	}
	label, value := n.attribute("label"), cmp.Or(n.attribute("current-value"), n.attribute("value"))
	switch n.name {
	case "checkbox":
		state := cmp.Or(n.attribute("current-state"), n.attribute("state"))
		return strings.TrimSpace(checkBox(state == "checked") + " " + label)
	case "radio":
		return strings.TrimSpace(checkBox(isTrue(n, "current-selected", "selected")) + " " + label)
	case "listbox":
		value = strings.Join(chosen, ", ")
	case "button", "fixed-text", "frame":
		return label
	case "password", "hidden", "generic-control", "image", "image-frame", "file":
		return ""
	}
	return cmp.Or(n.attribute("name"), "field") + ": " + value
}

// isTrue reports whether the first of the attributes that the element has is true.
func isTrue(n node, names ...string) bool {
	for _, name := range names {
		if value := n.attribute(name); value != "" {
			return value == "true"
		}
	}
	return false
}

func (w *words) readControl(n node) {
	if text, known := w.controls[n.attribute("control")]; known && text != "" {
		w.alternative = ""
		if w.paragraph != nil {
			w.add(text)
		} else {
			w.line(text)
		}
		return
	}
	w.name("form control")
}

package office

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// readChart writes the titles of a chart and the points of its series, or names a chart without any.
func (w *words) readChart(n node) {
	part := w.related.part(n, "id")
	if part == "" {
		w.name("chart")
		return
	}
	texts, is1904 := []string{w.alternative}, false
	for e := range w.elements(part) {
		switch e.name {
		case "date1904":
			is1904 = e.attribute("val") != "0"
		case "title":
			texts = append(texts, strings.Join(w.chartPoints(e, is1904)[0], " "))
		case "ser":
			texts = append(texts, w.series(e, is1904))
		}
	}
	w.nameChart(texts)
}

func (w *words) nameChart(texts []string) {
	outer := w.alternative
	w.alternative = strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
	w.name("chart")
	w.alternative = outer
}

// series returns the name of a series and its points, such as "Rent: 2024 1450, 2025 1500".
func (w *words) series(n node, is1904 bool) string {
	name, points := "", map[int][]string{}
	for child := range n.content() {
		switch child.name {
		case "tx":
			name = strings.Join(w.chartPoints(child, is1904)[0], " ")
		case "cat", "xVal", "val", "yVal", "bubbleSize":
			for index, texts := range w.chartPoints(child, is1904) {
				points[index] = append(points[index], texts...)
			}
		}
	}
	var shown []string
	for _, index := range slices.Sorted(maps.Keys(points)) {
		shown = append(shown, strings.Join(points[index], " "))
	}
	return strings.TrimPrefix(name+": "+strings.Join(shown, ", "), ": ")
}

// chartPoints returns the texts in an element of a chart, by the index of their point. A text that is not a point has
// the index 0.
func (w *words) chartPoints(n node, is1904 bool) map[int][]string {
	points, format := map[int][]string{}, numberFormat(nil)
	var read func(n node, index int)
	read = func(n node, index int) {
		for child := range n.content() {
			switch child.name {
			case "", "f":
			case "formatCode":
				format = readNumberFormat(child.allText())
			case "v", "t":
				text := child.allText()
				if number, err := strconv.ParseFloat(text, 64); err == nil && format != nil {
					text = format.display(number, is1904)
				}
				if w.mayMake(len(text) + nodeSize) {
					points[index] = append(points[index], text)
				}
			default:
				read(child, child.number("idx", index))
			}
		}
	}
	read(n, 0)
	return points
}

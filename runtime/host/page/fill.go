package page

import (
	"fmt"
	"html"
	"strings"
)

// markup is HTML that is written already. Text becomes markup through textMarkup alone, so that what a client
// or an operator chose cannot be read as HTML.
//
// Package html/template would find the context of each value by itself, but it finds methods by their names,
// which makes the linker keep every method of every type: 2.6 MB. All values here stand between tags or
// within double quotes, where one escape is right.
type markup string

func textMarkup(text string) markup { return markup(html.EscapeString(text)) }

// fill writes an asset with its values, which stand in it as {{name}}. It panics when one is missing: the
// assets are embedded, and tests write each of them.
func fill[T markup | string](asset T, values map[string]T) T {
	var filled strings.Builder
	rest := string(asset)
	for {
		before, after, found := strings.Cut(rest, "{{")
		filled.WriteString(before)
		if !found {
			return T(filled.String())
		}
		name, tail, _ := strings.Cut(after, "}}")
		value, known := values[name]
		if !known {
			panic(fmt.Sprintf("page: no value for {{%s}}", name))
		}
		filled.WriteString(string(value))
		rest = tail
	}
}

// fillHTML fills an asset of HTML.
func fillHTML(name string, values map[string]markup) markup {
	return fill(markup(asset(name)), values)
}

// frame is what every page has.
func frame(name, version string) map[string]markup {
	release := name
	if version != "" {
		release += " " + version
	}
	return map[string]markup{
		"head":    markup(asset("head.html")),
		"brand":   fillHTML("brand.html", map[string]markup{"name": textMarkup(name)}),
		"name":    textMarkup(name),
		"release": textMarkup(release),
	}
}

package office

import (
	"cmp"
	"strings"
)

// readDOCX reads the text of a document after the parts that it refers to. Headers precede the text and footers follow it.
func readDOCX(f *file) error {
	main, related, err := f.main()
	if err != nil {
		return err
	}
	o := newOOXML(f)
	return inOrder(
		step{related.of("numbering"), o.readNumbering},
		step{related.of("styles"), o.readStyles},
		step{related.of("footnotes"), o.read},
		step{related.of("endnotes"), o.read},
		step{related.of("comments"), o.read},
		step{related.of("header"), o.readMargin},
		step{[]string{main}, o.read},
		step{related.of("footer"), o.readMargin},
	)
}

// readMargin writes the text of a header or a footer, unless another one has it too.
func (o *ooxml) readMargin(name string) error {
	o.capture()
	err := o.read(name)
	if text := o.captured("\n"); text != "" && !o.margins[text] {
		o.margins[text] = true
		o.line(text)
	}
	return err
}

// value is an element that has its value in an attribute.
type value struct {
	Val string `xml:"val,attr"`
}

// style is what a paragraph or its style says about its line.
type style struct {
	ID      string `xml:"styleId,attr"`
	Based   value  `xml:"basedOn"`
	Heading value  `xml:"pPr>outlineLvl"`
	List    value  `xml:"pPr>numPr>numId"`
	Depth   value  `xml:"pPr>numPr>ilvl"`
}

func (o *ooxml) readStyles(name string) error {
	var part struct {
		Styles []style `xml:"style"`
	}
	err := o.decode(name, &part)
	for _, s := range part.Styles {
		o.styles[s.ID] = s
	}
	return err
}

// maxBased bounds the styles that a style is based on.
const maxBased = 20

// prefix returns what precedes the text of a paragraph: the marks of a heading, and the number of a list's item.
func (o *ooxml) prefix(s style) string {
	for range maxBased {
		based := o.styles[s.Based.Val]
		s.Based = based.Based
		s.Heading, s.List, s.Depth = cmp.Or(s.Heading, based.Heading), cmp.Or(s.List, based.List), cmp.Or(s.Depth, based.Depth)
	}
	prefix := ""
	if s.List.Val != "" && s.List.Val != "0" {
		prefix = o.numbers.next(s.List.Val, number(s.Depth.Val, 0))
	}
	if level := number(s.Heading.Val, maxLevel); level < maxLevel-1 { // the last level means body text
		return headingPrefix(level+1, prefix)
	}
	return prefix
}

// headingPrefix returns the prefix of a heading of a level from 1, with its number.
func headingPrefix(depth int, number string) string {
	return strings.Repeat("#", min(max(depth, 1), maxLevel)) + " " + strings.TrimPrefix(strings.TrimLeft(number, " "), bullet.text+" ")
}

// readNumbering reads how lists are numbered. Lists of the same definition share their numbers, unless one overrides a start.
func (o *ooxml) readNumbering(name string) error {
	var part struct {
		Definitions []struct {
			ID     string `xml:"abstractNumId,attr"`
			Levels []struct {
				Depth  int   `xml:"ilvl,attr"`
				Start  value `xml:"start"`
				Format value `xml:"numFmt"`
				Text   value `xml:"lvlText"`
			} `xml:"lvl"`
		} `xml:"abstractNum"`
		Lists []struct {
			ID         string `xml:"numId,attr"`
			Definition value  `xml:"abstractNumId"`
			Overrides  []struct {
				Depth int   `xml:"ilvl,attr"`
				Start value `xml:"startOverride"`
			} `xml:"lvlOverride"`
		} `xml:"num"`
	}
	err := o.decode(name, &part)
	defined := numbering{}
	for _, d := range part.Definitions {
		for _, l := range d.Levels {
			read := level{l.Format.Val, l.Text.Val, number(l.Start.Val, 0)}
			if read.format == "bullet" {
				read = bullet
			}
			defined.set(d.ID, l.Depth, read)
		}
	}
	for _, l := range part.Lists {
		shared := defined[l.Definition.Val]
		for _, override := range l.Overrides {
			if shared != nil && override.Start.Val != "" && override.Depth >= 0 && override.Depth < maxLevel {
				own := *shared
				own.levels[override.Depth].start = number(override.Start.Val, 1)
				shared = &own
			}
		}
		o.numbers[l.ID] = shared
	}
	return err
}

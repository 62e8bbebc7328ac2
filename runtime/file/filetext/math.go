package filetext

import (
	"bytes"

	"golang.org/x/net/html"

	"github.com/pdppmcp/pdpp-mcp/runtime/file/equation"
)

// maxMathNesting bounds nested elements of an equation. Deeper ones are read as if they were in the last one.
const maxMathNesting = 100

// maxMathNodes bounds the elements of an equation. The text of further ones is in the last one.
const maxMathNodes = 10_000

// readMath reads an equation of MathML up to its end, and returns it on one line.
func readMath(tokens *html.Tokenizer) string {
	open := []*equation.Node{{Name: "math"}}
	for nodes := 0; ; nodes++ {
		kind := tokens.Next()
		top := open[len(open)-1]
		switch kind {
		case html.ErrorToken:
			return open[0].String()
		case html.TextToken:
			top.Children = append(top.Children, &equation.Node{Text: string(tokens.Text())})
		case html.StartTagToken, html.SelfClosingTagToken:
			node := mathNode(tokens)
			if nodes > maxMathNodes {
				continue
			}
			top.Children = append(top.Children, node)
			if kind == html.StartTagToken && len(open) < maxMathNesting {
				open = append(open, node)
			}
		case html.EndTagToken:
			name, _ := tokens.TagName()
			local := localName(name)
			if local == "math" {
				return open[0].String()
			}
			if len(open) > 1 && top.Name == local {
				open = open[:len(open)-1]
			}
		}
	}
}

func mathNode(tokens *html.Tokenizer) *equation.Node {
	name, more := tokens.TagName()
	node := &equation.Node{Name: localName(name)}
	if more {
		node.Attributes = map[string]string{}
	}
	for more {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		node.Attributes[string(key)] = string(value)
	}
	return node
}

func localName(name []byte) string { return string(name[bytes.LastIndexByte(name, ':')+1:]) }

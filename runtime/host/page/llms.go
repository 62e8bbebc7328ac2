package page

import (
	"bytes"
	"net/http"
	"strings"
)

// llmsView is what llms.txt shows. Every string is one line, but for the instructions.
type llmsView struct {
	Name         string
	At           addresses
	Commands     commands
	Tools        []Tool
	Instructions string
}

// llms answers with the page for agents that read it (R-HOST-8), in the form of llmstxt.org.
func (p *Pages) llms(w http.ResponseWriter, r *http.Request) {
	at := p.addresses(r)
	view := llmsView{
		Name:         oneLine(p.options.Name),
		At:           at,
		Commands:     p.commands(at),
		Instructions: strings.TrimSpace(p.options.Instructions),
	}
	for _, tool := range p.options.Tools {
		view.Tools = append(view.Tools, Tool{
			Name:        oneLine(tool.Name),
			Title:       oneLine(tool.Title),
			Description: firstSentence(oneLine(tool.Description)),
		})
	}
	var body bytes.Buffer
	if err := textTemplates.ExecuteTemplate(&body, "llms.txt", view); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	send(w, r, document{contentType: "text/plain; charset=utf-8", vary: originHeaders, body: body.Bytes()})
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}

// firstSentence ends at the first full stop that a space follows.
func firstSentence(text string) string {
	if sentence, _, more := strings.Cut(text, ". "); more {
		return sentence + "."
	}
	return text
}

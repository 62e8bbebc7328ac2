package page

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	texttemplate "text/template"
)

//go:embed assets
var assets embed.FS

// The templates escape by context: html/template everything, text/template nothing, so what llms.txt
// shows is made one line before it comes there.
var (
	htmlTemplates = template.Must(template.ParseFS(assets, "assets/*.html"))
	textTemplates = texttemplate.Must(texttemplate.ParseFS(assets, "assets/llms.txt"))
)

// asset reads an embedded file. It panics when there is none: the names are constants.
func asset(name string) []byte {
	content, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

func style(w http.ResponseWriter, r *http.Request) {
	send(w, r, document{contentType: "text/css; charset=utf-8", body: asset("connect.css")})
}

func script(w http.ResponseWriter, r *http.Request) {
	send(w, r, document{contentType: "text/javascript; charset=utf-8", body: asset("connect.js")})
}

func sendHTML(w http.ResponseWriter, r *http.Request, name, vary string, view any) {
	var body bytes.Buffer
	if err := htmlTemplates.ExecuteTemplate(&body, name, view); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	send(w, r, document{contentType: "text/html; charset=utf-8", policy: pagePolicy, vary: vary, body: body.Bytes()})
}

package page

import (
	"embed"
	"net/http"
)

//go:embed assets
var assets embed.FS

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

func sendHTML(w http.ResponseWriter, r *http.Request, vary string, page markup) {
	send(w, r, document{contentType: "text/html; charset=utf-8", policy: pagePolicy, vary: vary, body: []byte(page)})
}

package flow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

//go:embed page
var pageFiles embed.FS

var (
	pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))
	pageStyle     = mustRead("page/style.css")
	styleHash     = sourceHash(pageStyle)
)

func mustRead(name string) string {
	raw, err := pageFiles.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(raw)
}

// sourceHash returns the Content-Security-Policy hash of an inline style.
func sourceHash(style string) string {
	sum := sha256.Sum256([]byte(style))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// consentPage is the data of the page on which the owner decides.
type consentPage struct {
	Style      template.CSS
	ClientName string
	ClientID   string
	Leads      string // where the browser goes afterwards; empty for a device
	UserCode   string // of a device
	Resources  []string
	Choices    []Choice
	Purposes   []string // as the client says; nobody has checked them
	SingleUse  bool
	Action     string
	FormToken  string
	Problem    string
}

// messagePage is the data of a page with one message.
type messagePage struct {
	Style template.CSS
	Title string
	Text  string
}

// userCodePage is the data of the page that asks for a device's code.
type userCodePage struct {
	Style   template.CSS
	Action  string
	Problem string
}

// pages serves the pages for the owner's browser.
func (f *Flow) pages() http.Handler {
	protected := http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.FormValue("redirect_uri") // reads the whole body, so that the lock is not held for a slow browser
		if r.Method == http.MethodPost {
			f.deciding.Lock()
			defer f.deciding.Unlock()
		}
		f.library.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), askedRedirectKey, asked)))
	}))
	return bounded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The URLs of these pages and of redirects hold codes.
		w.Header().Set("Referrer-Policy", "no-referrer")
		protected.ServeHTTP(w, r)
	}))
}

// showConsent stores the session, for the owner's answer, and writes the consent page.
func (f *Flow) showConsent(w http.ResponseWriter, r *http.Request, session *goidc.AuthnSession, client *goidc.Client, choices []Choice, problem string) error {
	if err := f.sessions.SaveSession(r.Context(), session); err != nil {
		return err
	}
	action := AuthorizePath
	if session.DeviceCode != "" {
		action = VerificationPath
	}
	purposes, single := purposesOf(session.AuthDetails)
	status := http.StatusOK
	if problem != "" {
		status = http.StatusBadRequest
	}
	return writePage(w, status, "consent.html", formTarget(session.RedirectURI), consentPage{
		Style: template.CSS(pageStyle), ClientName: client.Name, ClientID: client.ID,
		Leads: session.RedirectURI, UserCode: session.UserCode, Resources: session.Resources, Choices: choices,
		Purposes: purposes, SingleUse: single,
		Action: action + "/" + session.ID, FormToken: f.formToken(f.browser(w, r), session.ID), Problem: problem,
	})
}

// purposesOf returns the purposes that the client states, and reports whether it requests a single use.
func purposesOf(details []goidc.AuthDetail) (purposes []string, single bool) {
	for _, detail := range details {
		if purpose, is := detail["purpose_description"].(string); is && purpose != "" && !slices.Contains(purposes, purpose) {
			purposes = append(purposes, purpose)
		}
		single = single || detail["access_mode"] == "single_use"
	}
	return purposes, single
}

// askUserCode writes the page that asks for the code of a device. The library shows it again for an unknown
// code.
func (f *Flow) askUserCode(w http.ResponseWriter, r *http.Request) error {
	page := userCodePage{Style: template.CSS(pageStyle), Action: VerificationPath}
	status := http.StatusOK
	if r.URL.Query().Get("user_code") != "" {
		status = http.StatusBadRequest
		page.Problem = "No device waits with this code. It may have expired or been used; start again on the device."
	}
	return writePage(w, status, "usercode.html", "", page)
}

func (f *Flow) confirmDevice(w http.ResponseWriter, _ *http.Request) error {
	return writeMessage(w, http.StatusOK, "Access approved", "The client has what it needs. You can close this page.")
}

// renderError reports a failed request that cannot be redirected to a client: as a page for a browser, else as an
// OAuth error.
func (f *Flow) renderError(w http.ResponseWriter, r *http.Request, err error) error {
	code, description := (&answer{cause: err}).refusal()
	status := http.StatusBadRequest
	switch {
	case code == "server_error":
		status = http.StatusInternalServerError
	case code == string(goidc.ErrorCodeAccessDenied) && strings.HasPrefix(r.URL.Path, VerificationPath):
		return writeMessage(w, http.StatusOK, "Access denied", "The client was told so and gets nothing. You can close this page.")
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		respond.OAuthError(w, status, code, description)
		return nil
	}
	return writeMessage(w, status, "This request cannot be decided", description+
		". The link may have expired or been used already. Go back to the application and start again.")
}

func writeMessage(w http.ResponseWriter, status int, title, text string) error {
	return writePage(w, status, "message.html", "", messagePage{Style: template.CSS(pageStyle), Title: title, Text: text})
}

// writePage allows the page its own style and its form, and nothing else. formTarget is a further source
// that the form may lead to, empty for none.
func writePage(w http.ResponseWriter, status int, name, formTarget string, page any) error {
	var body bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&body, name, page); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", strings.TrimSpace("default-src 'none'; style-src "+styleHash+
		"; base-uri 'none'; frame-ancestors 'none'; form-action 'self' "+formTarget))
	header.Set("X-Frame-Options", "DENY")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // a browser that went away gets nothing
	return nil
}

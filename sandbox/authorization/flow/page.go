package flow

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/luikyv/go-oidc/pkg/goidc"

	"github.com/pdppmcp/pdpp-mcp/runtime/base/webpage"
	"github.com/pdppmcp/pdpp-mcp/sandbox/authorization/respond"
)

//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.ParseFS(pageFiles, "page/*.html"))

// site is the name of the pages.
const site = "PDPP sandbox"

// revocation explains to the owner how access ends.
const revocation = "In the application: what it gives back ends at once, as pdpp-mcp disconnect does. Stopping the sandbox ends everything."

// consentPage is the data of the page on which the owner decides.
type consentPage struct {
	Top         template.HTML
	ClientName  string
	ClientID    string
	Leads       string // where the browser goes afterwards, for people; empty for a device
	RedirectURI string // the same as it is; empty for a device
	UserCode    string // that a device shows; empty otherwise
	Resources   []string
	Choices     []Choice
	OnlyOne     bool     // one of the choices may be approved
	Purposes    []string // as the client states them, unverified
	Duration    string
	Revocation  string
	Action      string
	FormToken   string
	Problem     string
}

// userCodePage is the data of the page that asks for a device's code.
type userCodePage struct {
	Top     template.HTML
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
	userCode := session.UserCode
	if f.attempts.hasDevice(session.DeviceCode) {
		userCode = "" // agents do not get the code (capture 520), so it cannot be compared
	}
	status := http.StatusOK
	if problem != "" {
		status = http.StatusBadRequest
	}
	return writePage(w, status, "consent.html", formTarget(session.RedirectURI), consentPage{
		Top: top("Share data with " + cmp.Or(client.Name, "an unnamed client")), ClientName: client.Name, ClientID: client.ID,
		Leads: leadsTo(session.RedirectURI), RedirectURI: session.RedirectURI, UserCode: userCode, Resources: session.Resources, Choices: choices, OnlyOne: f.readsOneConnection(session),
		Purposes: purposes, Duration: duration(single, session.DeviceCode != ""), Revocation: revocation,
		Action: action + "/" + session.ID, FormToken: f.formToken(f.browser(w, r), session.ID), Problem: problem,
	})
}

// duration returns how long access lasts, for the owner. Devices and agents get a token of deviceAccessLifetime and
// cannot refresh it.
func duration(single, isDevice bool) string {
	switch {
	case single:
		return "For one day: it gets one token, which ends after 24 hours."
	case isDevice:
		return fmt.Sprintf("For %d days. It ends earlier if you take it back, or this sandbox stops.", deviceAccessLifetime/(24*time.Hour))
	}
	return "Until you take it back, or this sandbox stops."
}

// leadsTo says where a redirect leads, by what a person may know it: a site by its host, a program by where it runs.
func leadsTo(redirectURI string) string {
	parsed, err := url.Parse(redirectURI)
	_, onThisComputer := withoutLoopbackPort(redirectURI)
	switch {
	case redirectURI == "" || err != nil:
		return ""
	case isPrivateUse(redirectURI):
		return "an app on this device, which opens links that begin with " + parsed.Scheme + ":"
	case onThisComputer:
		return "a program on this computer"
	}
	return parsed.Host
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
	page := userCodePage{Top: top("Connect a device"), Action: VerificationPath}
	status := http.StatusOK
	if r.URL.Query().Get("user_code") != "" {
		status = http.StatusBadRequest
		page.Problem = "No device waits with this code. It may have expired or been used; start again on the device."
	}
	return writePage(w, status, "usercode.html", "", page)
}

func (f *Flow) confirmDevice(w http.ResponseWriter, _ *http.Request) error {
	return writeMessage(w, http.StatusOK, "Access approved", "The device has what it needs. You can close this page.", "How to take it back: "+revocation)
}

// renderError reports a failed request that cannot be redirected to a client: as a page for a browser, otherwise as an
// OAuth error.
func (f *Flow) renderError(w http.ResponseWriter, r *http.Request, err error) error {
	code, description := (&answer{cause: err}).refusal()
	status := http.StatusBadRequest
	switch {
	case code == "server_error":
		status = http.StatusInternalServerError
	case code == string(goidc.ErrorCodeAccessDenied) && strings.HasPrefix(r.URL.Path, VerificationPath):
		return writeMessage(w, http.StatusOK, "Access denied", "The client gets no access. You can close this page.")
	}
	if !webpage.PrefersHTML(r.Header.Values("Accept")) {
		respond.OAuthError(w, status, code, description)
		return nil
	}
	return writeMessage(w, status, "This request cannot be decided",
		"The link may have expired or been used already. Go back to the application and start again.", "What is wrong: "+description)
}

func writeMessage(w http.ResponseWriter, status int, title string, text ...string) error {
	webpage.Message{Site: site, Title: title, Text: text}.Write(w, status)
	return nil
}

// top returns the markup above a page.
func top(title string) template.HTML {
	return template.HTML(webpage.Top(title, site)) // escaped there
}

// writePage writes a page from its template. formTarget is a further source that its form may lead to, empty for none.
func writePage(w http.ResponseWriter, status int, name, formTarget string, page any) error {
	var body bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&body, name, page); err != nil {
		return fmt.Errorf("render %s: %w", name, err)
	}
	webpage.Secure(w.Header(), strings.TrimSpace("'self' "+formTarget))
	w.WriteHeader(status)
	_, _ = body.WriteTo(w) // a browser that went away gets nothing
	return nil
}

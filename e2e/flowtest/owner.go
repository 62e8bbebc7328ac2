// Package flowtest acts for the two people in tests of the sandbox's authorization server: the developer who
// registers a client, and the owner who decides on the consent page in a browser.
package flowtest

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
)

// ErrNoForm reports that a page has no form to decide on.
var ErrNoForm = errors.New("the page has no consent form")

var (
	formAction = regexp.MustCompile(`<form method="post" action="([^"]+)"`)
	formToken  = regexp.MustCompile(`name="form_token" value="([^"]+)"`)
	choice     = regexp.MustCompile(`name="connection_id" value="([^"]+)"`)
)

// Owner decides on consent pages as a person with a browser does. It keeps cookies, and stops at redirects, so that
// a test sees their target. Use New.
type Owner struct {
	client *http.Client
}

// New returns an owner with a new browser. A nil transport means http.DefaultTransport.
func New(transport http.RoundTripper) *Owner {
	jar, _ := cookiejar.New(nil) // only its options can fail
	return &Owner{client: &http.Client{
		Transport: transport, Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Page is the page in the owner's browser, or the target of its redirect.
type Page struct {
	Status   int
	Header   http.Header
	Body     string
	Location *url.URL // nil unless the browser was sent somewhere
}

// Choices returns the connections that a consent page offers.
func (p Page) Choices() []string {
	var ids []string
	for _, match := range choice.FindAllStringSubmatch(p.Body, -1) {
		ids = append(ids, html.UnescapeString(match[1]))
	}
	return ids
}

// Open visits a URL: an authorization request, a device's verification_uri_complete or an agent's
// approval_url.
func (o *Owner) Open(ctx context.Context, address string) (Page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return Page{}, fmt.Errorf("open %s: %w", address, err)
	}
	return o.send(request)
}

// Approve opens a URL, ticks the connections and approves. The answer's Location has the code, or the page
// confirms.
func (o *Owner) Approve(ctx context.Context, address string, connectionIDs ...string) (Page, error) {
	return o.decide(ctx, address, url.Values{"decision": {"approve"}, "connection_id": connectionIDs})
}

// Deny opens a URL and denies.
func (o *Owner) Deny(ctx context.Context, address string) (Page, error) {
	return o.decide(ctx, address, url.Values{"decision": {"deny"}})
}

func (o *Owner) decide(ctx context.Context, address string, form url.Values) (Page, error) {
	page, err := o.Open(ctx, address)
	if err != nil {
		return Page{}, err
	}
	return o.Submit(ctx, address, page, form)
}

// Submit sends the form of a page that was opened at the given URL.
func (o *Owner) Submit(ctx context.Context, address string, page Page, form url.Values) (Page, error) {
	action, token := formAction.FindStringSubmatch(page.Body), formToken.FindStringSubmatch(page.Body)
	if action == nil || token == nil {
		return page, fmt.Errorf("%w: %d %s", ErrNoForm, page.Status, page.Body)
	}
	base, err := url.Parse(address)
	if err != nil {
		return page, fmt.Errorf("open %s: %w", address, err)
	}
	target, err := base.Parse(html.UnescapeString(action[1]))
	if err != nil {
		return page, fmt.Errorf("follow the form: %w", err)
	}
	if !form.Has("form_token") {
		form.Set("form_token", html.UnescapeString(token[1]))
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return page, fmt.Errorf("send the form: %w", err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Sec-Fetch-Site", "same-origin")
	return o.send(request)
}

func (o *Owner) send(request *http.Request) (Page, error) {
	request.Header.Set("Accept", "text/html")
	response, err := o.client.Do(request)
	if err != nil {
		return Page{}, fmt.Errorf("visit %s: %w", request.URL.Redacted(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return Page{}, fmt.Errorf("read the page: %w", err)
	}
	page := Page{Status: response.StatusCode, Header: response.Header, Body: string(body)}
	if location, err := response.Location(); err == nil {
		page.Location = location
	}
	return page, nil
}

package capturetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"time"
)

// Issuer and Resource are the origins of the captured servers.
const (
	Issuer   = "http://localhost:7662"
	Resource = "http://localhost:7663"
)

// Provider answers with captured exchanges. It is an http.Handler, and an http.RoundTripper that needs no network.
// It is safe for concurrent use once it is set up.
type Provider struct {
	replace  []string
	handlers map[string]http.HandlerFunc // by path

	mu      sync.Mutex
	waiting map[string][]Exchange // by method and path
	seen    []Request
	faults  []string
}

// Request is a request that a Provider got.
type Request struct {
	Method, URL, Authorization, Body string
	At                               time.Time
}

// New returns a provider that answers requests of the same method and path with the captures in the order of the
// names, and repeats the last one. It panics if there is no such capture.
func New(names ...string) *Provider {
	p := &Provider{waiting: map[string][]Exchange{}, handlers: map[string]http.HandlerFunc{}}
	for _, name := range names {
		exchange, err := Load(name)
		if err != nil {
			panic(err)
		}
		key := exchange.Method + " " + exchange.Path
		p.waiting[key] = append(p.waiting[key], exchange)
	}
	return p
}

// Replace changes text in everything captured: requests, paths and responses.
func (p *Provider) Replace(pairs ...string) *Provider {
	p.replace = append(p.replace, pairs...)
	return p
}

// Handle answers a path with a handler instead of a capture. The handler finds the request's body already read; Seen
// has it.
func (p *Provider) Handle(path string, handler http.HandlerFunc) *Provider {
	p.handlers[path] = handler
	return p
}

// Seen returns the requests so far whose path has the prefix.
func (p *Provider) Seen(path string) []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	var found []Request
	for _, request := range p.seen {
		if parsed, err := url.Parse(request.URL); err == nil && strings.HasPrefix(parsed.Path, path) {
			found = append(found, request)
		}
	}
	return found
}

// Faults describes how requests differed from the captured ones. It ignores the purpose's description.
func (p *Provider) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults
}

// RoundTrip answers without a network, for tests in a synthetic time.
func (p *Provider) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	recorder := httptest.NewRecorder()
	p.ServeHTTP(recorder, request)
	response := recorder.Result()
	response.Request = request
	return response, nil
}

func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body) // a request that was cut off differs from the captured one
	}
	p.mu.Lock()
	p.seen = append(p.seen, Request{r.Method, r.URL.String(), r.Header.Get("Authorization"), string(body), time.Now()})
	exchange, found := p.take(r.Method, r.URL.Path)
	if found {
		p.compare(exchange, r, string(body))
	}
	handler := p.handlers[r.URL.Path]
	p.mu.Unlock()
	switch {
	case handler != nil:
		handler(w, r)
	case !found:
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", exchange.Header.Get("Content-Type"))
		w.WriteHeader(exchange.Status)
		_, _ = io.WriteString(w, exchange.Answered) // a client that hung up
	}
}

// take returns the next exchange of a path, with all replacements.
func (p *Provider) take(method, path string) (Exchange, bool) {
	replacer := strings.NewReplacer(p.replace...)
	for key, queue := range p.waiting {
		if replacer.Replace(key) != method+" "+path {
			continue
		}
		exchange := queue[0]
		if len(queue) > 1 {
			p.waiting[key] = queue[1:]
		}
		exchange.Asked, exchange.Answered = p.replaced(exchange.Asked), replacer.Replace(exchange.Answered)
		return exchange, true
	}
	return Exchange{}, false
}

// replaced applies the replacements, also in forms, whose values are escaped.
func (p *Provider) replaced(asked string) string {
	pairs := p.replace
	for _, text := range p.replace {
		pairs = append(pairs[:len(pairs):len(pairs)], url.QueryEscape(text))
	}
	return strings.NewReplacer(pairs...).Replace(asked)
}

func (p *Provider) compare(exchange Exchange, r *http.Request, body string) {
	if got := r.Header.Get("Content-Type"); got != exchange.ContentType {
		p.faults = append(p.faults, fmt.Sprintf("%s: content type is %q, want %q", exchange.Name, got, exchange.ContentType))
	}
	if r.Header.Get("Accept") != "application/json" && exchange.ContentType != "application/x-www-form-urlencoded" {
		p.faults = append(p.faults, exchange.Name+": does not accept application/json")
	}
	if got, want := normal(exchange.ContentType, body), normal(exchange.ContentType,
		exchange.Asked); !reflect.DeepEqual(got, want) {
		p.faults = append(p.faults, fmt.Sprintf("%s: asked %v, want %v", exchange.Name, got, want))
	}
}

// normal returns a body in a comparable form.
func normal(contentType, body string) any {
	var value any
	switch contentType {
	case "application/json":
		if json.Unmarshal([]byte(body), &value) != nil {
			return body
		}
	case "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(body)
		if err != nil {
			return body
		}
		members := map[string]any{}
		for name, values := range form {
			members[name] = strings.Join(values, " ")
		}
		if details := form.Get("authorization_details"); details != "" {
			members["authorization_details"] = normal("application/json", details)
		}
		value = members
	default:
		return body
	}
	forget(value, "purpose_description")
	return value
}

func forget(value any, name string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			forget(element, name)
		}
	case map[string]any:
		delete(value, name)
		for _, member := range value {
			forget(member, name)
		}
	}
}

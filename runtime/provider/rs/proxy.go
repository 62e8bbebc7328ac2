package rs

import (
	"net/http"
	"net/url"
)

// Via returns " through the proxy http://proxy.example:3128" for an address that is read through a proxy, for errors,
// and otherwise nothing. It does not have the proxy's password.
func Via(address string) string {
	if proxy := ProxyFor(address); proxy != nil {
		return " through the proxy " + proxy.Scheme + "://" + proxy.Host
	}
	return ""
}

// ProxyFor returns the proxy of an address by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, or nil. It returns nil for loopback
// addresses.
func ProxyFor(address string) *url.URL {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil
	}
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: parsed}) // the request reports an invalid variable
	return proxy
}

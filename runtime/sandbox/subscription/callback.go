package subscription

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// responseWindow is how long a receiver may take.
const responseWindow = 10 * time.Second

const mostCallbackBytes = 2048

// CallbackError is an address that the sandbox does not deliver to. It does not repeat the address, which may
// hold a secret.
type CallbackError struct {
	Code    string
	Message string
	Cause   error // may be nil
}

func (e *CallbackError) Error() string { return e.Code + ": " + e.Message }

// Unwrap gives the cause.
func (e *CallbackError) Unwrap() error { return e.Cause }

func refuseCallback(message string, cause error) *CallbackError {
	return &CallbackError{Code: "invalid_callback_url", Message: message, Cause: cause}
}

// checkCallback accepts receivers on this machine alone: the sandbox must be of no use to reach others.
func checkCallback(address string) error {
	if len(address) > mostCallbackBytes {
		return refuseCallback(fmt.Sprintf("callback_url is longer than %d bytes", mostCallbackBytes), nil)
	}
	parsed, err := url.Parse(address)
	if err != nil {
		return refuseCallback("callback_url is no URL", nil) // the cause repeats the address
	}
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return refuseCallback("callback_url must begin with http:// or https://", nil)
	case parsed.User != nil || strings.Contains(address, "#"):
		return refuseCallback("callback_url must not hold a user name, a password or a fragment", nil)
	case !isLoopback(parsed.Hostname()):
		return refuseCallback("callback_url must name this machine, such as http://127.0.0.1:9000/events: the sandbox delivers to loopback only", nil)
	}
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

var errNotLoopback = errors.New("the name leads to an address that is not loopback")

// newClient gives a client that connects to loopback whatever a name resolves to, and follows no redirect.
func newClient() *http.Client {
	dialer := &net.Dialer{Timeout: responseWindow, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		if reached, err := netip.ParseAddrPort(address); err != nil || !reached.Addr().IsLoopback() {
			return errNotLoopback
		}
		return nil
	}}
	return &http.Client{
		Timeout:       responseWindow,
		Transport:     &http.Transport{DialContext: dialer.DialContext, TLSHandshakeTimeout: responseWindow, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

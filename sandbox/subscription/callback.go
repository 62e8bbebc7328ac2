package subscription

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// responseWindow is the time within which a receiver must respond.
const responseWindow = 10 * time.Second

const maxCallbackBytes = 2048

// CallbackError reports a callback address that is refused without a request. It does not contain the address, which
// may hold a secret.
type CallbackError struct{ Message string }

func (e *CallbackError) Error() string { return e.Message }

// checkCallback refuses the addresses that real providers refuse. A subscription with another address that the client
// does not connect to stays pending.
func checkCallback(address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Scheme == "" || parsed.Host == "":
		return &CallbackError{"callback_url must be an absolute URL"}
	case parsed.Scheme != "https" && (parsed.Scheme != "http" || !isLoopback(parsed.Hostname())):
		return &CallbackError{"callback_url must use https:// (http://localhost permitted for development)"}
	case len(address) > maxCallbackBytes:
		return &CallbackError{fmt.Sprintf("callback_url exceeds %d bytes", maxCallbackBytes)}
	}
	return nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

var errNotLoopback = errors.New("the name leads to an address that is not loopback")

// newClient returns a client that connects only to loopback addresses, whatever a name resolves to, and follows no
// redirect, so that the sandbox cannot be used to send requests to other machines.
func newClient() *http.Client {
	dialer := &net.Dialer{
		Timeout: responseWindow,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			if reached, err := netip.ParseAddrPort(address); err != nil || !reached.Addr().IsLoopback() {
				return errNotLoopback
			}
			return nil
		},
	}
	return &http.Client{
		Timeout: responseWindow,
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSHandshakeTimeout: responseWindow,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

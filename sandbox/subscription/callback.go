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

// responseWindow is how long a receiver may take.
const responseWindow = 10 * time.Second

const mostCallbackBytes = 2048

// CallbackError is an address that is refused before anything is sent there. It does not repeat the address, which may
// hold a secret.
type CallbackError struct{ Message string }

func (e *CallbackError) Error() string { return e.Message }

// checkCallback refuses what real providers refuse. Others are taken; what the client does not connect to stays pending.
func checkCallback(address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil || parsed.Scheme == "" || parsed.Host == "":
		return &CallbackError{"callback_url must be an absolute URL"}
	case parsed.Scheme != "https" && (parsed.Scheme != "http" || !isLoopback(parsed.Hostname())):
		return &CallbackError{"callback_url must use https:// (http://localhost permitted for development)"}
	case len(address) > mostCallbackBytes:
		return &CallbackError{fmt.Sprintf("callback_url exceeds %d bytes", mostCallbackBytes)}
	}
	return nil
}

func isLoopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

var errNotLoopback = errors.New("the name leads to an address that is not loopback")

// newClient gives a client that connects to loopback alone, whatever a name resolves to, and follows no redirect: the
// sandbox must be of no use to reach others.
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

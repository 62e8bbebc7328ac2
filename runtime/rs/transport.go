package rs

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// readBuffer lets the usual page come with one or two reads of a connection, of which each is a system call.
const readBuffer = 32 << 10

// NewTransport gives a transport for clients of one process to share. It keeps connections alive, speaks
// HTTP/2 over TLS, and takes no proxy from the environment: a bearer goes to the resource server and
// to nothing between. It is safe for concurrent use.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    64, // the default of 2 makes a host with one RS dial for nearly every call
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    5 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		ReadBufferSize:         readBuffer,
		DisableCompression:     true, // the client decompresses by itself, under its own bound
	}
}

var sharedTransport = sync.OnceValue(NewTransport)

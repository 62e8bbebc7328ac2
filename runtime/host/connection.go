package host

import (
	"context"
	"net"
)

// connections is a listener whose connections can be held.
type connections struct{ net.Listener }

// Accept waits for the next connection.
func (l connections) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if tcp, isTCP := accepted.(*net.TCPConn); isTCP {
		return &connection{TCPConn: tcp}, err
	}
	return accepted, err
}

// connection is a connection from a client. While it is held, what is written first leaves together with what is written next:
// package http sends the header with the first 4 kB of an answer and then the rest, for which the client would wake twice. Like the
// writer of a request, it is used by one goroutine at a time.
type connection struct {
	*net.TCPConn
	isHeld bool
	first  []byte // what was written while it is held, and has not left
}

// heldMost is how many bytes are kept of what is written first: the buffer of package http.
const heldMost = 4 << 10

type connectionKey struct{}

// connectionWithin is the ConnContext of an http.Server: it gives the connection to the requests that come on it.
func connectionWithin(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// connectionOf is the connection of a request, or nil when it cannot be held.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// hold keeps what is written first until more is written or release is called. Nil does nothing.
func (c *connection) hold() {
	if c != nil {
		c.isHeld = true
	}
}

// release sends what is kept. Nil does nothing.
func (c *connection) release() error {
	if c == nil {
		return nil
	}
	c.isHeld = false
	if len(c.first) == 0 {
		return nil
	}
	_, err := c.Write(nil)
	return err
}

// Write keeps the text, or sends it behind what is kept.
func (c *connection) Write(text []byte) (int, error) {
	switch {
	case len(c.first) > 0:
		both := net.Buffers{c.first, text}
		written, err := both.WriteTo(c.TCPConn)
		written -= int64(len(c.first))
		c.first = c.first[:0]
		return max(0, int(written)), err
	case c.isHeld && len(text) <= heldMost:
		c.first = append(c.first, text...)
		return len(text), nil
	}
	return c.TCPConn.Write(text)
}

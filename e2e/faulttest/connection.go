package faulttest

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"
)

var discarded = log.New(io.Discard, "", 0)

// Latency answers late.
func Latency(by time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if wait(r, by) {
			server.ServeHTTP(w, r)
		}
	}
}

// Late does something else late.
func Late(by time.Duration, fault Fault) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if wait(r, by) {
			fault(w, r, server)
		}
	}
}

// wait reports whether the client is still connected afterwards.
func wait(r *http.Request, during time.Duration) bool {
	timer := time.NewTimer(during)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// HangUp closes the connection in place of an answer.
func HangUp(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	if connection := hijack(w); connection != nil {
		_ = connection.Close()
	}
}

// Reset breaks the connection in place of an answer.
func Reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) { breakOff(hijack(w)) }

// ResetInBody breaks the connection after half of the answer's body.
func ResetInBody(w http.ResponseWriter, r *http.Request, server http.Handler) {
	if connection, _ := sendPart(w, r, server, half); connection != nil {
		// What was sent must have gone before the reset, which overtakes what still waits.
		_ = connection.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		_, _ = connection.Read(make([]byte, 1))
		breakOff(connection)
	}
}

// Truncated closes the connection after half of the body that it announced.
func Truncated(w http.ResponseWriter, r *http.Request, server http.Handler) {
	if connection, _ := sendPart(w, r, server, half); connection != nil {
		_ = connection.Close()
	}
}

// TruncatedChunks closes the connection in the middle of a chunk.
func TruncatedChunks(w http.ResponseWriter, r *http.Request, server http.Handler) {
	answer := ask(r, server)
	connection := hijack(w)
	if connection == nil {
		return
	}
	body := answer.Body.String()
	fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "+
		"chunked\r\n\r\n%x\r\n%s", len(body), body[:len(body)/2])
	_ = connection.Close()
}

// SlowHeader sends an endless header, one byte at a time.
func SlowHeader(every time.Duration) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if connection := hijack(w); connection != nil {
			trickle(connection, "HTTP/1.1 200 OK\r\nX-Slow: "+strings.Repeat("z", 1<<16), every)
		}
	}
}

// SlowBody sends the answer's body one byte at a time.
func SlowBody(every time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		if connection, body := sendPart(w, r, server, none); connection != nil {
			trickle(connection, string(body), every)
		}
	}
}

func trickle(connection net.Conn, text string, every time.Duration) {
	defer connection.Close()
	for i := range len(text) {
		if _, err := io.WriteString(connection, text[i:i+1]); err != nil {
			return // the client has gone, which is what it should do
		}
		_ = connection.SetReadDeadline(time.Now().Add(every))
		if _, err := connection.Read(make([]byte, 1)); err != nil && !isTimeout(err) {
			return
		}
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as package net gives it
	return ok && timeout.Timeout()
}

// Garbage answers with bytes that are not HTTP.
func Garbage(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	if connection := hijack(w); connection != nil {
		_, _ = io.WriteString(connection, "SSH-2.0-OpenSSH_9.9\r\n\r\n")
		_ = connection.Close()
	}
}

// LongHeader answers with so many bytes of headers.
func LongHeader(bytes int) Fault {
	return func(w http.ResponseWriter, r *http.Request, server http.Handler) {
		for i := range bytes / 1024 {
			w.Header().Set("X-Long-"+strconv.Itoa(i), strings.Repeat("z", 1024))
		}
		server.ServeHTTP(w, r)
	}
}

// ask returns the server's answer.
func ask(r *http.Request, server http.Handler) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	plain := r.Clone(r.Context())
	plain.Header.Del("Accept-Encoding")
	server.ServeHTTP(answer, plain)
	return answer
}

func half(length int) int { return length / 2 }
func none(int) int        { return 0 }

// sendPart announces the server's whole answer, sends a part of it and returns the rest. The connection is nil when it
// is gone.
func sendPart(w http.ResponseWriter, r *http.Request, server http.Handler,
	part func(int) int,
) (connection net.Conn, rest []byte) {
	body := ask(r, server).Body.Bytes()
	if connection = hijack(w); connection == nil {
		return nil, nil
	}
	fmt.Fprintf(connection, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	sent := part(len(body))
	_, _ = connection.Write(body[:sent])
	return connection, body[sent:]
}

// hijack takes over the connection. It returns nil if the connection is gone.
func hijack(w http.ResponseWriter) net.Conn {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil
	}
	return connection
}

// breakOff closes a connection so that the other side reads a reset.
func breakOff(connection net.Conn) {
	if connection == nil {
		return
	}
	if plain, ok := connection.(*net.TCPConn); ok {
		_ = plain.SetLinger(0)
	}
	_ = connection.Close()
}

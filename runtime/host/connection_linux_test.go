package host_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdppmcp/pdpp-mcp/runtime/host"
	"github.com/pdppmcp/pdpp-mcp/runtime/tool"
)

// segments is how many segments with data a connection has received.
func segments(t *testing.T, connection *net.TCPConn) (count uint32) {
	t.Helper()
	raw, err := connection.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(descriptor uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(descriptor), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			t.Errorf("the system does not count segments: %v", err)
			return
		}
		count = info.Data_segs_in
	}); err != nil {
		t.Fatal(err)
	}
	return count
}

// A long answer leaves in one piece with its header, so that its client wakes once; and several on one connection stay apart. Its
// 15 kB are less than one segment of a loopback interface, which has 64 kB.
func TestALongAnswerComesInOnePiece(t *testing.T) {
	h := newHosted(t, func(with *hostedWith) {
		with.surface = testSurface(running("long", func(_ context.Context, _ tool.Env, arguments json.RawMessage) (*tool.Result, error) {
			return &tool.Result{Text: strings.Repeat(string(arguments), 1000)}, nil
		}))
	})
	url, _, _ := serving(t, h, host.ServeOptions{})
	connection, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	reader, tcp := bufio.NewReader(connection), connection.(*net.TCPConn)
	for number := range 3 {
		before := segments(t, tcp)
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"long","arguments":{"planted":%[1]d}}}`, number)
		request := h.request(t, http.MethodPost, "/mcp", call, "Authorization", "Bearer "+bearer)
		if err := request.Write(connection); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(reader, request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if planted := strings.Count(string(body), fmt.Sprintf(`{\"planted\":%d}`, number)); response.StatusCode != http.StatusOK || planted != 1000 {
			t.Errorf("%s: %d times what was planted in %d bytes", response.Status, planted, len(body))
		}
		if came := segments(t, tcp) - before; came != 1 {
			t.Errorf("%d bytes came in %d segments", len(body), came)
		}
	}
}

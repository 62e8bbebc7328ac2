package host_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdppmcp/pdpp-mcp/gen"
	"github.com/pdppmcp/pdpp-mcp/runtime/server/host"
)

// markOf returns the text of a caller's records, in which one foreign byte is visible.
func markOf(caller int) string { return fmt.Sprintf("mark-of-caller-%d-", caller) }

// markedPage returns a page of records that only one caller may see. Its size changes from call to call.
func markedPage(caller, rows int) string {
	var page []string
	for i := range rows {
		page = append(page, fmt.Sprintf(`{"id":"m%d","stream":"messages","data":{"body":%q}}`, i,
			strings.Repeat(markOf(caller), 1+i%40)))
	}
	return `{"object":"list","has_more":false,"data":[` + strings.Join(page, ",") + `]}`
}

// Covers R-HOST-5: two callers read with the generated tools over real sockets, interleaved, and every third call is
// cancelled while its answer is being read, rendered or written. No byte of one caller reaches the other.
func TestNoByteReachesAnotherCaller(t *testing.T) {
	const callsOfEach = 60
	h := newHosted(t, func(with *hostedWith) {
		with.surface = gen.Surface()
		with.options.Limits = host.Limits{PerSecond: 1e6, Burst: 1e6}
		with.answer = func(w http.ResponseWriter, r *http.Request) {
			var caller, rows int
			_, _ = fmt.Sscanf(r.Header.Get("Authorization"), "Bearer token-of-a-caller-%d", &caller)
			_, _ = fmt.Sscan(r.URL.Query().Get("limit"), &rows)
			_, _ = fmt.Fprint(w, markedPage(caller, rows))
		}
	})
	h.as.says(tokenOf(0), introspectionOf(0))
	h.as.says(tokenOf(2), introspectionOf(2))
	var calling sync.WaitGroup
	for call := range 2 * callsOfEach {
		caller, other := 2*(call%2), 2-2*(call%2)
		calling.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if call%3 == 0 {
				time.AfterFunc(time.Duration(call)*50*time.Microsecond, cancel)
			}
			text := readMarked(ctx, t, h, caller, 1+call%30)
			isWhole := ctx.Err() == nil
			if strings.Contains(text, markOf(other)) || isWhole && !strings.Contains(text, markOf(caller)) {
				t.Errorf("call %d of caller %d reads %.300s", call, caller, text)
			}
		})
		if call%8 == 7 {
			calling.Wait()
		}
	}
	calling.Wait()
}

// readMarked reads rows as a caller. It returns what was received before the call was cancelled.
func readMarked(ctx context.Context, t *testing.T, h *hosted, caller, rows int) string {
	t.Helper()
	request := h.request(t, http.MethodPost, "/mcp",
		callOf("query_records", fmt.Sprintf(`{"stream":"messages","limit":%d}`, rows)),
		"Authorization", "Bearer "+tokenOf(caller))
	response, err := crowd.Do(request.WithContext(ctx))
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}

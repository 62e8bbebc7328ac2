package doctor

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/credential"
)

// largestSkew is how far two clocks may be apart. Less is noise: the header has whole seconds.
const largestSkew = time.Minute

// checkClock compares this machine's clock with the Date header of the provider, since the end of a
// credential is judged by the clock here.
func (e *examination) checkClock(ctx context.Context) Finding {
	asked := e.options.Now()
	response, err := e.get(ctx, e.metadataURL())
	if err != nil {
		return failed(credential.Unreachable, e.again(), "the provider's clock cannot be read: %s", unanswered(err))
	}
	defer response.Body.Close()
	answered := e.options.Now()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return note("", "the provider does not say what time it has")
	}
	if age, err := strconv.Atoi(response.Header.Get("Age")); err == nil { // seconds that a cache kept the answer
		date = date.Add(time.Duration(age) * time.Second)
	}
	skew := asked.Add(answered.Sub(asked) / 2).Sub(date).Round(time.Second)
	switch {
	case skew > largestSkew:
		return failed(credential.Configuration, setClock(e.options.Machine.System), "this machine is %s ahead of the provider", skew)
	case skew < -largestSkew:
		return failed(credential.Configuration, setClock(e.options.Machine.System), "this machine is %s behind the provider", -skew)
	}
	return ok("within %s of the provider", largestSkew)
}

func setClock(system string) string {
	switch system {
	case "darwin":
		return "sudo sntp -sS time.apple.com"
	case "windows":
		return "w32tm /resync"
	}
	return "sudo timedatectl set-ntp true"
}

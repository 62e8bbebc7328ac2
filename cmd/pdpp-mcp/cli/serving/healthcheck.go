package serving

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/grant/credential"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

const (
	healthPath    = "/healthz"
	healthTimeout = 2 * time.Second
)

// NewHealthcheckCommand returns the command for health checks in images without an HTTP client.
func NewHealthcheckCommand() *cobra.Command {
	var listen string
	command := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether a server on this machine is up, for a container's health check",
		Long: `Read /healthz of a server on this machine. Prints nothing if the server is up.

The exit code is 0 if the server is up, and 69 if it is not.`,
		Example: "  pdpp-mcp healthcheck --listen 127.0.0.1:8788",
		Args:    invocation.NoArguments,
		Hidden:  true,
		RunE:    func(*cobra.Command, []string) error { return checkHealth(listen) },
	}
	command.Flags().StringVar(&listen, "listen", defaultListen, "`address` that the server listens on")
	invocation.ReadVariables(command.Flags(), "listen")
	return command
}

func checkHealth(listen string) error {
	address, err := dialable(listen)
	if err != nil {
		return err
	}
	client := &http.Client{Timeout: healthTimeout, Transport: rs.NewTransport()}
	defer client.CloseIdleConnections()
	reason := ""
	response, err := client.Get("http://" + address + healthPath)
	if err != nil {
		reason = cmp.Or(errors.Unwrap(err), err).Error()
	} else {
		_ = response.Body.Close() // only the status counts
		if response.StatusCode == http.StatusOK {
			return nil
		}
		reason = "it answered " + response.Status
	}
	return &credential.Error{
		Class:    credential.Unreachable,
		Message:  fmt.Sprintf("no healthy server at %s: %s", address, reason),
		NextStep: "check the log of pdpp-mcp serve, and pass the same --listen",
		Cause:    err,
	}
}

// dialable returns the address to dial for a listen address: loopback if that means all interfaces.
func dialable(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", invocation.Usagef("invalid --listen %q: use an address such as 127.0.0.1:8788", listen)
	}
	ip, err := netip.ParseAddr(host)
	if host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port), nil
}

package calling

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/desktop/webhook"
	"github.com/pdppmcp/pdpp-mcp/runtime/provider/rs"
)

// webhookSecretVariable names the environment variable that may hold the signing secret itself.
const webhookSecretVariable = "PDPP_WEBHOOK_SECRET"

// maxEventBytes bounds the event on standard input. Events hold no records, so they are small.
const maxEventBytes = 4 << 20

// newVerifyCommand returns the command that checks the signature of an event. It makes no request.
func newVerifyCommand(terminal invocation.Terminal) *cobra.Command {
	var headers []string
	secretFile, tolerance := "", webhook.DefaultTolerance
	command := &cobra.Command{
		Use:                   "verify --secret-file FILE [--header 'name: value' …] < event",
		DisableFlagsInUseLine: true,
		Short:                 "Check the signature of an event",
		Long: `Check the signature of an event (Standard Webhooks: webhook-id, webhook-timestamp and webhook-signature). With --header, standard
input is the body, byte for byte. Otherwise it is the whole HTTP request. Exit code 0: signed by the provider; 1: not signed by the
provider; 78: no usable secret.`,
		Example: `  pdpp-mcp subscriptions verify --secret-file secret --header 'webhook-id: evt_1' \
    --header 'webhook-timestamp: 1795000000' --header 'webhook-signature: v1,…' < body.json
  pdpp-mcp subscriptions verify --secret-file secret < request.http`,
		Args: invocation.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			secret, err := readSigningSecret(secretFile)
			if err != nil {
				return err
			}
			event, err := readEvent(terminal.In, headers)
			if err != nil {
				return err
			}
			if err := secret.Verify(event, time.Now(), tolerance); err != nil {
				return err
			}
			_, err = fmt.Fprintf(terminal.Out, "signed %s=%s\n", webhook.IDHeader, invocation.Printable(event.Header.Get(webhook.IDHeader)))
			return err
		},
	}
	command.Flags().StringVar(&secretFile, "secret-file", "", "`file` that holds the signing secret; "+webhookSecretVariable+" may hold the secret itself")
	command.Flags().StringArrayVar(&headers, "header", nil, "a `header` of the event as 'name: value'; repeatable")
	invocation.AddDuration(command.Flags(), &tolerance, "tolerance", "maximum difference between the event's time and now")
	return command
}

func readSigningSecret(name string) (webhook.Secret, error) {
	if name == "" {
		if value := os.Getenv(webhookSecretVariable); value != "" {
			return webhook.ParseSecret(value)
		}
		return webhook.Secret{}, &webhook.SecretError{Message: "is missing; pass --secret-file, or set " + webhookSecretVariable}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return webhook.Secret{}, &webhook.SecretError{Message: fmt.Sprintf("cannot be read: %v", err)}
	}
	return webhook.ParseSecret(string(text))
}

// readEvent reads the body of an event if headers were passed, and otherwise a whole HTTP request.
func readEvent(in io.Reader, headers []string) (webhook.Message, error) {
	text, err := io.ReadAll(io.LimitReader(in, maxEventBytes+1))
	if err != nil {
		return webhook.Message{}, fmt.Errorf("read the event from standard input: %w", err)
	}
	if len(text) > maxEventBytes {
		return webhook.Message{}, invocation.Usagef("standard input holds more than %d bytes; pass one event", maxEventBytes)
	}
	if len(headers) == 0 {
		return readRequest(string(text))
	}
	event := webhook.Message{Header: http.Header{}, Body: text}
	for _, header := range headers {
		name, value, found := strings.Cut(header, ":")
		if !found || strings.TrimSpace(name) == "" {
			return webhook.Message{}, invocation.Usagef("--header %q is not 'name: value'", header)
		}
		event.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return event, nil
}

var errNoRequest = invocation.Usagef("standard input is not an HTTP request; pass one, or pass the body alone with --header for each header")

// readRequest parses an HTTP request. Without a Content-Length or a Transfer-Encoding, as in a log, the rest of the
// text is the body.
func readRequest(text string) (webhook.Message, error) {
	reader := bufio.NewReader(strings.NewReader(text))
	request, err := http.ReadRequest(reader)
	if err != nil {
		return webhook.Message{}, errNoRequest
	}
	if request.Header.Get("Content-Length") == "" && request.TransferEncoding == nil {
		request.Body = io.NopCloser(reader)
	}
	body, err := io.ReadAll(request.Body)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return webhook.Message{}, invocation.Usagef("the HTTP request on standard input is cut off; pass all of it")
	}
	if err != nil {
		return webhook.Message{}, errNoRequest
	}
	return webhook.Message{Header: request.Header, Body: body}, nil
}

// signingSecret matches a secret of Standard Webhooks by its prefix, because providers name the member differently.
var signingSecret = regexp.MustCompile(`"(whsec_[A-Za-z0-9+/=_\\-]*)"`)

// secretKeeper is an rs.Writer that moves the signing secret of an answer to a file.
type secretKeeper struct {
	rs.Writer
	file *os.File // opened before the change is sent, so that the secret is not lost
	kept bool
}

// newSecretKeeper creates the file. It refuses an existing one, which may hold a secret in use.
func newSecretKeeper(writer rs.Writer, name string) (*secretKeeper, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, invocation.Usagef("--secret-file %s exists; name a new file", name)
	}
	if err != nil {
		return nil, invocation.Usagef("--secret-file cannot be created: %v", err)
	}
	return &secretKeeper{Writer: writer, file: file}, nil
}

func (k *secretKeeper) Send(ctx context.Context, change rs.Change) (*rs.Response, error) {
	response, err := k.Writer.Send(ctx, change)
	if err != nil {
		return nil, err
	}
	found := signingSecret.FindSubmatch(response.Body())
	if found == nil {
		return nil, response.Unusable(
			"the change was made, but its answer holds no signing secret (whsec_…) for --secret-file",
			"subscriptions list shows the subscriptions",
		)
	}
	secret := bytes.ReplaceAll(found[1], []byte(`\`), nil)
	_, err = k.file.Write(append(secret, '\n'))
	if err = errors.Join(err, k.file.Sync()); err != nil {
		return nil, fmt.Errorf("the signing secret could not be saved; get another with subscriptions update <id> --rotate-secret: %w", err)
	}
	k.kept = true
	return response.WithBody(signingSecret.ReplaceAll(response.Body(), []byte(`"[in the secret file]"`)))
}

// close removes the file if it has no secret.
func (k *secretKeeper) close() {
	_ = k.file.Close() // Send has synced it
	if !k.kept {
		_ = os.Remove(k.file.Name())
	}
}

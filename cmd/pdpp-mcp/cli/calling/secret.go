package calling

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"

	"github.com/pdppmcp/pdpp-mcp/cmd/pdpp-mcp/cli/invocation"
	"github.com/pdppmcp/pdpp-mcp/runtime/rs"
)

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

package completion

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/pdppmcp/pdpp-mcp/runtime/ownfile"
	"github.com/pdppmcp/pdpp-mcp/runtime/schemadoc"
)

// keptNames is a file that caches the names of one grant for a minute, so that repeated completions ask the provider
// once. It holds no records and no token. Errors are ignored: names that could not be cached are read again.
type keptNames struct {
	path        string
	providerURL string
	grantID     string
}

const (
	namesFolder  = "completion" // below the cache root
	namesAge     = time.Minute
	namesLargest = 1 << 20 // bytes
)

// namesFile is the content of the file. It names its provider and grant, since the file's name is only a hash.
type namesFile struct {
	ProviderURL string          `json:"provider_url"`
	GrantID     string          `json:"grant_id"`
	ReadAt      time.Time       `json:"read_at"`
	Names       schemadoc.Names `json:"names"`
}

func newKeptNames(root, providerURL, grantID string) *keptNames {
	sum := sha256.Sum256([]byte(providerURL + "\n" + grantID))
	name := hex.EncodeToString(sum[:16]) + ".json"
	return &keptNames{path: filepath.Join(root, namesFolder, name), providerURL: providerURL, grantID: grantID}
}

// read returns the names of the grant and reports whether the file was written within the last minute.
func (k *keptNames) read(now time.Time) (schemadoc.Names, bool) {
	if k == nil {
		return nil, false
	}
	file, err := os.Open(k.path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	var kept namesFile
	if err := json.NewDecoder(io.LimitReader(file, namesLargest)).Decode(&kept); err != nil {
		return nil, false
	}
	age := now.Sub(kept.ReadAt)
	belongs := kept.ProviderURL == k.providerURL && kept.GrantID == k.grantID
	return kept.Names, belongs && age >= 0 && age < namesAge
}

// write replaces the file atomically, with mode 0600 in a folder of mode 0700, and removes files that are too old.
func (k *keptNames) write(names schemadoc.Names, now time.Time) {
	if k == nil {
		return
	}
	content, err := json.Marshal(namesFile{ProviderURL: k.providerURL, GrantID: k.grantID, ReadAt: now, Names: names})
	if err != nil || len(content) > namesLargest {
		return
	}
	folder := filepath.Dir(k.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return
	}
	removeNames(folder, func(info os.FileInfo) bool { return now.Sub(info.ModTime()) >= namesAge })
	_ = ownfile.Replace(k.path, ".writing-*.json", 0o600, content)
}

// writtenNames matches the names of the files that this program writes. Other files in the folder are left alone.
var writtenNames = regexp.MustCompile(`^([0-9a-f]{32}|\.writing-[0-9]+)\.json$`)

func removeNames(folder string, which func(os.FileInfo) bool) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && writtenNames.MatchString(entry.Name()) && which(info) {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// ForgetNames removes all cached names below the cache root, so that a disconnected grant leaves none behind.
func ForgetNames(root string) {
	folder := filepath.Join(root, namesFolder)
	removeNames(folder, func(os.FileInfo) bool { return true })
	_ = os.Remove(folder) // only if empty
}

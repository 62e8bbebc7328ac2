package blind

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// BlobNamed is the value of a field as results show it: a reference to a blob has its kind and its size in the place of its
// members (R-BLOB-1), and any other value is as it was sent.
func BlobNamed(sent json.RawMessage) json.RawMessage {
	var blob struct {
		ID        string `json:"blob_id"`
		MediaType string `json:"mime_type"`
		Size      int    `json:"size_bytes"`
	}
	if json.Unmarshal(sent, &blob) != nil || blob.ID == "" {
		return sent
	}
	return json.RawMessage(strconv.Quote(fmt.Sprintf("blob(%s %d bytes)", blob.MediaType, blob.Size)))
}

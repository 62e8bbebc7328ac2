package sample

// message is the data of the messages stream, in declared order, as the other types here are of theirs.
type message struct {
	ID             string   `json:"id"`
	ThreadID       string   `json:"thread_id"`
	Subject        *string  `json:"subject"`
	FromName       *string  `json:"from_name"`
	FromEmail      *string  `json:"from_email"`
	To             []string `json:"to"`
	Cc             []string `json:"cc"`
	Bcc            []string `json:"bcc"`
	ReplyTo        []string `json:"reply_to"`
	Date           *string  `json:"date"`
	ReceivedAt     string   `json:"received_at"`
	MessageID      *string  `json:"message_id"`
	InReplyTo      *string  `json:"in_reply_to"`
	References     []string `json:"references"`
	SizeBytes      *int     `json:"size_bytes"`
	Labels         []string `json:"labels"`
	IsDraft        bool     `json:"is_draft"`
	IsFlagged      bool     `json:"is_flagged"`
	IsSeen         bool     `json:"is_seen"`
	IsAnswered     bool     `json:"is_answered"`
	HasAttachments bool     `json:"has_attachments"`
	Snippet        *string  `json:"snippet"`
}

type messageBody struct {
	ID                string   `json:"id"`
	MessageID         string   `json:"message_id"`
	BodyText          string   `json:"body_text"`
	BodyHTML          *string  `json:"body_html"`
	BodyTextBytes     int      `json:"body_text_bytes"`
	BodyHTMLBytes     *int     `json:"body_html_bytes"`
	BodySource        string   `json:"body_source"`
	Charset           string   `json:"charset"`
	ContentLanguages  []string `json:"content_languages"`
	MessageReceivedAt string   `json:"message_received_at"`
}

type attachment struct {
	ID                string   `json:"id"`
	MessageID         string   `json:"message_id"`
	Filename          *string  `json:"filename"`
	ContentType       string   `json:"content_type"`
	SizeBytes         *int     `json:"size_bytes"`
	ContentID         *string  `json:"content_id"`
	IsInline          bool     `json:"is_inline"`
	Encoding          string   `json:"encoding"`
	PartIndex         string   `json:"part_index"`
	MessageReceivedAt string   `json:"message_received_at"`
	BlobRef           *blobRef `json:"blob_ref"`
	ContentSHA256     *string  `json:"content_sha256"`
	HydrationStatus   string   `json:"hydration_status"`
	HydrationError    *string  `json:"hydration_error"`
}

type blobRef struct {
	BlobID    string `json:"blob_id"`
	MimeType  string `json:"mime_type"`
	SizeBytes int    `json:"size_bytes"`
	SHA256    string `json:"sha256"`
	FetchURL  string `json:"fetch_url"`
}

type thread struct {
	ID                string   `json:"id"`
	Subject           *string  `json:"subject"`
	ParticipantEmails []string `json:"participant_emails"`
	MessageCount      int      `json:"message_count"`
	FirstMessageDate  string   `json:"first_message_date"`
	LastMessageDate   string   `json:"last_message_date"`
	Labels            []string `json:"labels"`
	UnreadCount       int      `json:"unread_count"`
	FlaggedCount      int      `json:"flagged_count"`
	HasAttachments    bool     `json:"has_attachments"`
}

type label struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Color    *string `json:"color"`
	IsSystem bool    `json:"is_system"`
}

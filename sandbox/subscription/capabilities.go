package subscription

// Capabilities describes event subscriptions in the metadata of the protected resource, in the form of real
// servers.
type Capabilities struct {
	Supported   bool            `json:"supported"`
	Authorities []string        `json:"authority_kinds_supported"`
	Scope       string          `json:"scope"`
	Stability   string          `json:"stability"`
	Endpoint    string          `json:"endpoint"`
	Transport   string          `json:"transport"`
	EventTypes  []string        `json:"event_types"`
	CallbackURL callbackRules   `json:"callback_url"`
	Delivery    deliveryRules   `json:"delivery"`
	Envelope    envelopeForm    `json:"envelope"`
	HintCursor  hintCursor      `json:"hint_cursor"`
	Limits      limits          `json:"limits"`
	Signing     signingProfile  `json:"signing"`
	Verify      verificationWay `json:"verification"`
}

type callbackRules struct {
	HTTPSRequired      bool `json:"https_required"`
	LocalhostException bool `json:"localhost_exception"`
	LoopbackOnly       bool `json:"loopback_only"` // specific to the sandbox: it posts to this machine only
}

type deliveryRules struct {
	AfterCommit           bool      `json:"after_commit"`
	AtLeastOnce           bool      `json:"at_least_once"`
	Coalescing            bool      `json:"coalescing"`
	DeadLetterState       string    `json:"dead_letter_state"`
	MaxAttempts           int       `json:"max_attempts"`
	ResponseWindowSeconds int       `json:"response_window_seconds"`
	RetryScheduleSeconds  []float64 `json:"retry_schedule_seconds"`
}

type envelopeForm struct {
	ContentType            string   `json:"content_type"`
	Format                 string   `json:"format"`
	Fields                 []string `json:"fields"`
	NoRecordBodies         bool     `json:"no_record_bodies"`
	PDPPVersion            string   `json:"pdppversion"`
	SpecVersion            string   `json:"specversion"`
	SubscriptionIDLocation string   `json:"subscription_id_location"`
}

type hintCursor struct {
	CursorField          string `json:"cursor_field"`
	ReadEndpointTemplate string `json:"read_endpoint_template"`
}

type limits struct {
	CallbackURLMaxBytes         int `json:"callback_url_max_bytes"`
	ResponseSnippetCaptureBytes int `json:"response_snippet_capture_bytes"`
	MaxSubscriptions            int `json:"max_subscriptions"`
}

type signingProfile struct {
	Profile               string `json:"profile"`
	Algorithm             string `json:"algorithm"`
	IDHeader              string `json:"id_header"`
	TimestampHeader       string `json:"timestamp_header"`
	SignatureHeader       string `json:"signature_header"`
	SignatureEncoding     string `json:"signature_encoding"`
	SignedPayload         string `json:"signed_payload"`
	SecretPrefix          string `json:"secret_prefix"`
	SecretPayloadEncoding string `json:"secret_payload_encoding"`
}

type verificationWay struct {
	Handshake          string `json:"handshake"`
	ChallengeEventType string `json:"challenge_event_type"`
}

// Capabilities returns the capabilities of this registry.
func (r *Registry) Capabilities() Capabilities {
	schedule := []float64{}
	for _, pause := range r.options.Retries {
		schedule = append(schedule, pause.Seconds())
	}
	return Capabilities{
		Supported: true, Authorities: []string{"client_grant", "trusted_owner_agent"}, Scope: "sandbox",
		Stability: "experimental", Endpoint: "/v1/event-subscriptions", Transport: "https_webhook",
		EventTypes:  []string{VerifyEvent, TestEvent, RecordsChangedEvent, GrantRevokedEvent},
		CallbackURL: callbackRules{HTTPSRequired: true, LocalhostException: true, LoopbackOnly: true},
		Delivery: deliveryRules{
			AfterCommit: true, AtLeastOnce: true, DeadLetterState: DisabledFailure, MaxAttempts: 1 + len(schedule),
			ResponseWindowSeconds: int(responseWindow.Seconds()), RetryScheduleSeconds: schedule,
		},
		Envelope: envelopeForm{
			ContentType: ContentType, Format: "cloudevents+json",
			Fields: []string{"specversion", "pdppversion", "id", "type", "source", "time", "data"}, NoRecordBodies: true,
			PDPPVersion: "1", SpecVersion: "1.0",
			SubscriptionIDLocation: "data.subscription_id",
		},
		HintCursor: hintCursor{
			CursorField:          "data.changes_since",
			ReadEndpointTemplate: "/v1/streams/{stream}/records?changes_since={cursor}",
		},
		Limits: limits{
			CallbackURLMaxBytes: maxCallbackBytes, ResponseSnippetCaptureBytes: maxResponseBytes,
			MaxSubscriptions: maxOfOwner,
		},
		Signing: signingProfile{
			Profile: "standard-webhooks", Algorithm: "HMAC-SHA256", IDHeader: "webhook-id", TimestampHeader: "webhook-timestamp",
			SignatureHeader: "webhook-signature", SignatureEncoding: "v1,<base64>",
			SignedPayload: "{webhook-id}.{webhook-timestamp}.{body}",
			SecretPrefix:  "whsec_", SecretPayloadEncoding: "base64",
		},
		Verify: verificationWay{Handshake: "post_with_challenge_echo", ChallengeEventType: VerifyEvent},
	}
}

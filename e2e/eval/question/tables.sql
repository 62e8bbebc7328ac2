WITH live AS (SELECT connection_id AS account, stream, key, data FROM record WHERE deleted_at IS NULL),
mail AS (SELECT account, key, data->>'from_email' AS from_email, data->>'from_name' AS from_name, data->>'subject' AS subject,
	data->>'received_at' AS received_at, data->>'is_seen' AS is_seen, data->>'size_bytes' AS size_bytes FROM live WHERE stream = 'messages'),
body AS (SELECT account, data->>'message_id' AS mail, data->>'body_text' AS text FROM live WHERE stream = 'message_bodies'),
file AS (SELECT account, data->>'message_id' AS mail, data->>'filename' AS name, data->>'size_bytes' AS size,
	data->>'content_type' AS content_type, data->>'content_sha256' AS digest, data->>'$.blob_ref.blob_id' AS blob_id
	FROM live WHERE stream = 'attachments'),
enclosed AS (SELECT mail, name, CAST(bytes AS TEXT) AS text FROM file JOIN blob ON blob.id = blob_id AND blob.connection_id = account),
chat AS (SELECT account, key, data->>'user_name' AS author, data->>'sent_at' AS sent_at, data->>'text' AS text
	FROM live WHERE stream = 'chat_messages'),
play AS (SELECT account, data->>'artist_name' AS artist, data->>'played_at' AS played_at, data->>'ms_played' AS ms
	FROM live WHERE stream = 'play_history'),
event AS (SELECT data->>'title' AS title, data->>'location' AS location, data->>'starts_at' AS starts_at FROM live WHERE stream = 'events'),
payment AS (SELECT account, data->>'account_id' AS bank_account, data->>'booked_at' AS booked_at, data->>'booked_on' AS booked_on,
	data->>'amount_cents' AS cents FROM live WHERE stream = 'transactions'),
issue AS (SELECT data->>'repository' AS repository, data->>'number' AS number, data->>'author' AS author,
	data->>'closed_at' AS closed_at, data->>'body' AS text FROM live WHERE stream = 'issues')

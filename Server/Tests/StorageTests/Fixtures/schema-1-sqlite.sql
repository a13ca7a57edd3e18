-- A database of schema version 1 with one user, as SQLite holds it.


CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL);

CREATE TABLE applications (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    admin_key_digest BLOB NOT NULL,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE users (
    application_id TEXT NOT NULL,
    id TEXT NOT NULL,
    display_name TEXT,
    locale TEXT,
    fields TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_log_in_at INTEGER,
    previous_log_in_at INTEGER,
    PRIMARY KEY (application_id, id)
) WITHOUT ROWID;

CREATE TABLE identities (
    application_id TEXT NOT NULL,
    provider TEXT NOT NULL,
    subject TEXT NOT NULL,
    user_id TEXT NOT NULL,
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (application_id, provider, subject)
) WITHOUT ROWID;

CREATE INDEX identities_by_user ON identities (application_id, user_id, linked_at, provider, subject);

CREATE TABLE sessions (
    application_id TEXT NOT NULL,
    token_digest BLOB NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    device_key TEXT,
    device_name TEXT,
    device_model TEXT,
    device_system TEXT,
    device_app_version TEXT,
    address TEXT,
    protocol TEXT NOT NULL,
    method TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    attempt_digest BLOB,
    attempt_was_new INTEGER,
    attempt_previous_log_in_at INTEGER,
    PRIMARY KEY (application_id, token_digest)
) WITHOUT ROWID;

CREATE UNIQUE INDEX sessions_by_user ON sessions (application_id, user_id, id);

CREATE TABLE used_proofs (
    application_id TEXT NOT NULL,
    digest BLOB NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (application_id, digest)
) WITHOUT ROWID;

CREATE INDEX used_proofs_by_end ON used_proofs (ends_at);

CREATE TABLE rate_limits (
    application_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    window_start INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (application_id, kind, subject)
) WITHOUT ROWID;

CREATE TABLE signing_keys (
    id TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL,
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO schema_migrations (version, name) VALUES (1, 'beginnings');

INSERT INTO applications (id, name, admin_key_digest, settings, created_at)
VALUES ('QXIYd00000000001', 'おかえり', x'1111111111111111111111111111111111111111111111111111111111111111', '{"audiences":[],"proofRequired":false}', 1795252542000);

INSERT INTO users (application_id, id, display_name, locale, fields, created_at, updated_at, last_log_in_at)
VALUES ('QXIYd00000000001', 'QXIYd00000000002', 'はな', 'ja', '{"score":12}', 1795252542000, 1795252542000, 1795252542000);

INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
VALUES ('QXIYd00000000001', 'device', '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I', 'QXIYd00000000002', 1795252542000);

INSERT INTO sessions (application_id, token_digest, id, user_id, device_key, device_model, address, protocol, method,
    created_at, last_used_at, expires_at)
VALUES ('QXIYd00000000001', x'3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', 'QXIYd00000000003',
    'QXIYd00000000002', '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I', 'iPhone17,1', '192.0.2.7', 'native', 'automatic',
    1795252542000, 1795252542000, 1829812542000);

INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ('QXIYd00000000001', x'22222222222222222222222222222222', 1795252603000);

INSERT INTO rate_limits (application_id, kind, subject, window_start, used)
VALUES ('QXIYd00000000001', 'first-launch', '192.0.2.7', 1795252542000, 1);

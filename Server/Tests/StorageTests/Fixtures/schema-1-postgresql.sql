-- A database of schema version 1 with one user, as PostgreSQL holds it.


CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, name TEXT COLLATE "C" NOT NULL);

CREATE TABLE applications (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    admin_key_digest BYTEA NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE users (
    application_id TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    display_name TEXT COLLATE "C",
    locale TEXT COLLATE "C",
    fields TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    last_log_in_at BIGINT,
    previous_log_in_at BIGINT,
    PRIMARY KEY (application_id, id)
);

CREATE TABLE identities (
    application_id TEXT COLLATE "C" NOT NULL,
    provider TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    linked_at BIGINT NOT NULL,
    PRIMARY KEY (application_id, provider, subject)
);

CREATE INDEX identities_by_user ON identities (application_id, user_id, linked_at, provider, subject);

CREATE TABLE sessions (
    application_id TEXT COLLATE "C" NOT NULL,
    token_digest BYTEA NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    user_id TEXT COLLATE "C" NOT NULL,
    device_key TEXT COLLATE "C",
    device_name TEXT COLLATE "C",
    device_model TEXT COLLATE "C",
    device_system TEXT COLLATE "C",
    device_app_version TEXT COLLATE "C",
    address TEXT COLLATE "C",
    protocol TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    attempt_digest BYTEA,
    attempt_was_new BIGINT,
    attempt_previous_log_in_at BIGINT,
    PRIMARY KEY (application_id, token_digest)
);

CREATE UNIQUE INDEX sessions_by_user ON sessions (application_id, user_id, id);

CREATE TABLE used_proofs (
    application_id TEXT COLLATE "C" NOT NULL,
    digest BYTEA NOT NULL,
    ends_at BIGINT NOT NULL,
    PRIMARY KEY (application_id, digest)
);

CREATE INDEX used_proofs_by_end ON used_proofs (ends_at);

CREATE TABLE rate_limits (
    application_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C" NOT NULL,
    window_start BIGINT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (application_id, kind, subject)
);

CREATE TABLE signing_keys (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

INSERT INTO schema_migrations (version, name) VALUES (1, 'beginnings');

INSERT INTO applications (id, name, admin_key_digest, settings, created_at)
VALUES ('QXIYd00000000001', 'おかえり', '\x1111111111111111111111111111111111111111111111111111111111111111', '{"audiences":[],"proofRequired":false}', 1795252542000);

INSERT INTO users (application_id, id, display_name, locale, fields, created_at, updated_at, last_log_in_at)
VALUES ('QXIYd00000000001', 'QXIYd00000000002', 'はな', 'ja', '{"score":12}', 1795252542000, 1795252542000, 1795252542000);

INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
VALUES ('QXIYd00000000001', 'device', '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I', 'QXIYd00000000002', 1795252542000);

INSERT INTO sessions (application_id, token_digest, id, user_id, device_key, device_model, address, protocol, method,
    created_at, last_used_at, expires_at)
VALUES ('QXIYd00000000001', '\x3c469e9d6c5875d37a43f353d4f88e61fcf812c66eee3457465a40b0da4153e0', 'QXIYd00000000003',
    'QXIYd00000000002', '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I', 'iPhone17,1', '192.0.2.7', 'native', 'automatic',
    1795252542000, 1795252542000, 1829812542000);

INSERT INTO used_proofs (application_id, digest, ends_at) VALUES ('QXIYd00000000001', '\x22222222222222222222222222222222', 1795252603000);

INSERT INTO rate_limits (application_id, kind, subject, window_start, used)
VALUES ('QXIYd00000000001', 'first-launch', '192.0.2.7', 1795252542000, 1);

-- The statements of a first launch, for pgbench: as the server sends them, with its types and lengths.
-- When the server's statements change, change these too. Variables: application.
\set r random(1, 9000000000000000)
\set u random(1, 9000000000000000)
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO used_proofs (application_id, digest, ends_at)
    VALUES (:application,
        decode(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0'), 'hex') ||
        decode(md5(:r::bigint::text), 'hex'), 1795260003000) ON CONFLICT DO NOTHING;
SELECT users.application_id, users.id, users.display_name, users.locale, users.fields, users.created_at,
    users.updated_at, users.last_log_in_at, users.previous_log_in_at, users.username, users.email,
    users.email_verified_at, users.phone, users.phone_verified_at, users.password_set_at, users.disabled_at,
    users.deletion_requested_at, linked.provider, linked.subject, linked.linked_at
FROM identities
JOIN users ON users.application_id = identities.application_id AND users.id = identities.user_id
JOIN identities AS linked
    ON linked.application_id = identities.application_id AND linked.user_id = identities.user_id
WHERE identities.application_id = :application AND identities.provider = 'device'
    AND identities.subject = translate(rtrim(encode(sha256(:u::bigint::text::bytea), 'base64'), '='), '+/', '-_')
ORDER BY linked.linked_at, linked.provider, linked.subject;
INSERT INTO users (application_id, id, display_name, locale, fields, created_at, updated_at, last_log_in_at,
    previous_log_in_at)
VALUES (:application, substr(md5(:u::bigint::text), 1, 16), NULL, 'ja', '{}', 1795259945240, 1795259945240,
    1795259945240, NULL);
INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
VALUES (:application, 'device', translate(rtrim(encode(sha256(:u::bigint::text::bytea), 'base64'), '='), '+/', '-_'),
    substr(md5(:u::bigint::text), 1, 16), 1795259945240);
INSERT INTO sessions (application_id, token_digest, id, slot, user_id, device_key, device_name, device_model,
    device_system, device_app_version, address, protocol, method, created_at, last_used_at, expires_at,
    authenticated_at, attempt_digest, attempt_request_digest, attempt_was_new, attempt_previous_log_in_at)
VALUES (:application,
    sha256(:r::bigint::text::bytea), substr(md5(:r::bigint::text), 1, 16), substr(md5(:r::bigint::text), 1, 16),
    substr(md5(:u::bigint::text), 1, 16),
    translate(rtrim(encode(sha256(:u::bigint::text::bytea), 'base64'), '='), '+/', '-_'),
    'Hana''s iPhone', 'iPhone17,1', 'iOS 19.1', '2.4.0 (311)', '127.0.0.1', 'native', 'automatic', 1795259945240,
    1795259945240, 1829819945240, NULL, NULL, NULL, NULL, NULL);
COMMIT;

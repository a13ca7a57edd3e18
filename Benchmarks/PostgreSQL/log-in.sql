-- The statements of a log-in by a known device, for pgbench: as the server sends them, with its types and lengths.
-- When the server's statements change, change these too. Variables: application, step (every step-th user has the key
-- that is computed here; see Benchmarks/Sources/Seed).
\set n random(0, 99999) * :step
\set r random(1, 9000000000000000)
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO used_proofs (application_id, digest, ends_at)
    VALUES (:application,
        decode(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0'), 'hex') ||
        decode(md5(:r::bigint::text), 'hex'), 1795260003000) ON CONFLICT DO NOTHING;
SELECT users.application_id, users.id AS found_id, users.display_name, users.locale, users.fields, users.created_at,
    users.updated_at, users.last_log_in_at AS last_at, users.previous_log_in_at, users.username, users.email,
    users.email_verified_at, users.phone, users.phone_verified_at, users.password_set_at, users.disabled_at,
    users.deletion_requested_at, linked.provider, linked.subject AS device, linked.linked_at
FROM identities
JOIN users ON users.application_id = identities.application_id AND users.id = identities.user_id
JOIN identities AS linked
    ON linked.application_id = identities.application_id AND linked.user_id = identities.user_id
WHERE identities.application_id = :application AND identities.provider = 'device' AND identities.subject =
    translate(rtrim(encode(sha256(:n::bigint::text::bytea), 'base64'), '='), '+/', '-_')
ORDER BY linked.linked_at, linked.provider, linked.subject \gset
SELECT slot, token_digest, id, device_key, protocol FROM sessions
WHERE application_id = :application AND user_id = :found_id ORDER BY id DESC \gset old_
UPDATE users SET last_log_in_at = 1795259945240, previous_log_in_at = :last_at
WHERE application_id = :application AND id = :found_id;
INSERT INTO sessions (application_id, user_id, slot, token_digest, token_lookup, id, device_key, device_name,
    device_model, device_system, device_app_version, address, protocol, method, created_at, last_used_at, expires_at,
    authenticated_at, attempt_digest, attempt_request_digest, attempt_was_new, attempt_previous_log_in_at)
VALUES (:application, :found_id, :old_slot, sha256(:r::bigint::text::bytea), NULL,
    substr(md5(:r::bigint::text), 1, 16), :device, 'Hana''s iPhone', 'iPhone17,1', 'iOS 19.1', '2.4.0 (311)',
    '127.0.0.1', 'native', 'automatic', 1795259945240, 1795259945240, 1829819945240, NULL, NULL, NULL, NULL, NULL)
ON CONFLICT (application_id, user_id, slot) DO UPDATE SET
    id = excluded.id, device_key = excluded.device_key, device_name = excluded.device_name,
    device_model = excluded.device_model, device_system = excluded.device_system,
    device_app_version = excluded.device_app_version, installation = excluded.installation,
    address = excluded.address, protocol = excluded.protocol, method = excluded.method,
    created_at = excluded.created_at, last_used_at = excluded.last_used_at, expires_at = excluded.expires_at,
    authenticated_at = excluded.authenticated_at, fields = excluded.fields, updated_at = excluded.updated_at,
    second_factor_at = excluded.second_factor_at, methods = excluded.methods, token_digest = excluded.token_digest,
    token_lookup = excluded.token_lookup, attempt_digest = excluded.attempt_digest,
    attempt_request_digest = excluded.attempt_request_digest, attempt_was_new = excluded.attempt_was_new,
    attempt_previous_log_in_at = excluded.attempt_previous_log_in_at;
SELECT application_id, user_id, id, device_key, device_name, device_model, device_system, device_app_version, address,
    code_digest, left_user_id, redeemed_at, acknowledged_at, undone_at
FROM transfers WHERE application_id = :application AND user_id = :found_id ORDER BY id;
COMMIT;

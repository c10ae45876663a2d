-- The documented views of `meterbridge sql`. Times are TIMESTAMP in UTC, amounts
-- pico-USD (exact) beside USD (a DOUBLE, for reading). Empty text is null.

-- One row per model request. cost_* is the recorded cost, else the list price.
--
-- Each join holds some 8 MB while a statement runs, however small its table is, and
-- the ledger has 128: a join with the words for each text would leave none. So the
-- words of the small tables are taken out of one list (their numbers count from 1
-- without a gap; 0, the empty text, is outside it, which gives null), and only what
-- a request itself names is joined.
CREATE OR REPLACE VIEW requests AS
SELECT r.id, s.harness, s.native AS session, root.native AS root_session,
       CASE s.relation WHEN 'subagent' THEN coalesce(nullif(s.agent_type, ''), 'unknown') ELSE 'main' END AS agent,
       nullif(p.text, '') AS project, fc.branch, nullif(m.text, '') AS model, fc.provider,
       r.response_id, r.request_id, epoch_ms(r.started_at) AS started_at, epoch_ms(r.ended_at) AS ended_at,
       r.input AS input_tokens, r.output AS output_tokens, r.reasoning AS reasoning_tokens, r.cache_read AS cache_read_tokens,
       r.cache_write_5m AS cache_write_5m_tokens, r.cache_write_1h AS cache_write_1h_tokens, r.web_searches,
       coalesce(r.input, 0)::HUGEINT + coalesce(r.output, 0) + coalesce(r.cache_read, 0) + coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) AS total_tokens,
       r.recorded_pusd, r.list_pusd, coalesce(r.recorded_pusd::HUGEINT, r.list_pusd) AS cost_pusd,
       coalesce(r.recorded_pusd::HUGEINT, r.list_pusd) / 1e12 AS cost_usd,
       CASE WHEN r.recorded_pusd IS NOT NULL THEN 'recorded' WHEN r.list_pusd IS NOT NULL THEN 'list' ELSE 'none' END AS cost_basis,
       fc.price_key, fc.price_table,
       fc.tier AS service_tier, fc.speed, fc.geo,
       fc."precision", replace(nullif(tl.text, ''), chr(10), ', ') AS tools, fc.purpose, fc.aborted,
       fc.rule, fc.machine, f.path AS source, r.line, r."offset", fc.vanished, r.first_seen AS first_scan, r.calls
FROM request r
JOIN (
  SELECT s.id, s.native, s.root, s.relation, s.agent_type, w.texts[s.harness] AS harness
  FROM session s CROSS JOIN (SELECT list(text ORDER BY id) AS texts FROM word) w
) s ON s.id = r.session
JOIN session root ON root.id = s.root
LEFT JOIN (
  SELECT f.id, w.texts[f.branch] AS branch, w.texts[f.provider] AS provider, w.texts[f.price_key] AS price_key, w.texts[f.price_table] AS price_table,
         w.texts[f.tier] AS tier, w.texts[f.speed] AS speed, w.texts[f.geo] AS geo, w.texts[f."precision"] AS "precision", w.texts[f.purpose] AS purpose,
         w.texts[f.rule] AS rule, w.texts[f.machine] AS machine, f.aborted, f.vanished
  FROM facet f CROSS JOIN (SELECT list(text ORDER BY id) AS texts FROM word) w
) fc ON fc.id = r.facet
LEFT JOIN word p ON p.id = r.project
LEFT JOIN word m ON m.id = r.model
LEFT JOIN word tl ON tl.id = r.tools
LEFT JOIN source f ON f.id = r.source;

-- One row per session, sub-agents included (root_session folds them).
CREATE OR REPLACE VIEW sessions AS
SELECT w.texts[s.harness] AS harness, s.native AS session, parent.native AS parent_session, nullif(s.relation, '') AS relation, root.native AS root_session,
       CASE s.relation WHEN 'subagent' THEN coalesce(nullif(s.agent_type, ''), 'unknown') ELSE 'main' END AS agent,
       nullif(s.title, '') AS title, w.texts[s.project] AS project, w.texts[s.branch] AS branch,
       nullif(s.last_reply, '') AS last_reply, epoch_ms(s.last_reply_at) AS last_reply_at, nullif(s.version, '') AS version,
       epoch_ms(s.first_at) AS first_at, epoch_ms(s.last_at) AS last_at
FROM session s
LEFT JOIN session parent ON parent.id = s.parent
JOIN session root ON root.id = s.root
CROSS JOIN (SELECT list(text ORDER BY id) AS texts FROM word) w;

-- Prompts that people typed.
CREATE OR REPLACE VIEW prompts AS
SELECT h.text AS harness, s.native AS session, nullif(pj.text, '') AS project, epoch_ms(p.happened_at) AS happened_at, nullif(p.preview, '') AS preview,
       f.path AS source, p.line
FROM prompt p
JOIN session s ON s.id = p.session
LEFT JOIN word h ON h.id = p.harness
LEFT JOIN word pj ON pj.id = coalesce(nullif(p.project, 0), s.project)
LEFT JOIN source f ON f.id = p.source;

-- Tool calls; ok is null while the result is unknown.
CREATE OR REPLACE VIEW tool_calls AS
SELECT h.text AS harness, s.native AS session, c.request AS request_id, n.text AS name,
       epoch_ms(c.started_at) AS started_at, epoch_ms(c.ended_at) AS ended_at, c.ended_at - c.started_at AS duration_ms, c.ok
FROM tool_call c
JOIN session s ON s.id = c.session
LEFT JOIN word h ON h.id = c.harness
LEFT JOIN word n ON n.id = c.name;

-- Turns, where a log marks their start and end.
CREATE OR REPLACE VIEW turns AS
SELECT h.text AS harness, s.native AS session, epoch_ms(t.started_at) AS started_at, epoch_ms(t.ended_at) AS ended_at, nullif(t.outcome, '') AS outcome
FROM turn t
JOIN session s ON s.id = t.session
LEFT JOIN word h ON h.id = t.harness;

-- Logs that were read, and how far.
CREATE OR REPLACE VIEW sources AS
SELECT f.id AS source_id, h.text AS harness, f.kind, f.path, nullif(f.machine, '') AS machine, f.size, make_timestamp(f.mtime_ns // 1000) AS modified_at,
       f."offset", f.lines, f.parser, f.generation, f.gone
FROM source f
LEFT JOIN word h ON h.id = f.harness;

-- Input that could not be read.
CREATE OR REPLACE VIEW problems AS
SELECT h.text AS harness, f.path AS source, p.line, p.reason, p.detail
FROM problem p
JOIN source f ON f.id = p.source
LEFT JOIN word h ON h.id = f.harness;

-- The rates that list prices were made with, one row for each class, pico-USD
-- for a token; tier_above is the prompt size above which a row holds.
CREATE OR REPLACE VIEW prices AS
SELECT provider, model, epoch_ms(from_ms) AS valid_from, epoch_ms(to_ms) AS valid_to, tier_above, nullif(mode, '') AS mode,
       nullif(time_window, '') AS time_window, class, pico_per_token, pico_per_token / 1e6 AS usd_per_million, nullif(source, '') AS source
FROM price_rate;

-- What happened in sessions and is no request.
CREATE OR REPLACE VIEW events AS
SELECT h.text AS harness, s.native AS session, epoch_ms(e.happened_at) AS happened_at, e.kind, nullif(e.detail, '') AS detail, f.path AS source, e.line
FROM event e
JOIN session s ON s.id = e.session
LEFT JOIN word h ON h.id = e.harness
LEFT JOIN source f ON f.id = e.source;

-- What logs say about the provider's rate limits.
CREATE OR REPLACE VIEW rate_limits AS
SELECT h.text AS harness, s.native AS session, epoch_ms(r.happened_at) AS happened_at, r.name, r.window_ms, r.used_percent,
       epoch_ms(r.resets_at) AS resets_at, nullif(r.plan, '') AS plan
FROM rate_limit r
LEFT JOIN session s ON s.id = r.session
LEFT JOIN word h ON h.id = r.harness;

-- Sums of days in the ledger's own zone, kept up to date: small and fast.
CREATE OR REPLACE VIEW usage_daily AS
SELECT DATE '1970-01-01' + d.day AS day, h.text AS harness, nullif(p.text, '') AS project, nullif(m.text, '') AS model, d.requests,
       d.input AS input_tokens, d.output AS output_tokens, d.reasoning AS reasoning_tokens, d.cache_read AS cache_read_tokens, d.cache_write AS cache_write_tokens,
       d.auto_pusd AS cost_pusd, d.auto_pusd / 1e12 AS cost_usd, d.recorded_pusd, d.list_pusd, d.tokened - d.auto_n AS unpriced_requests
FROM rollup_day d
LEFT JOIN word h ON h.id = d.harness
LEFT JOIN word p ON p.id = d.project
LEFT JOIN word m ON m.id = d.model;

-- The resets of five-hour limits that logs tell, by harness, each once. A reset
-- that does not lie within its window is nonsense.
-- Columns: harness by number and name, reset in epoch milliseconds.
SELECT DISTINCT m.harness, coalesce(w.text, '') AS name, m.resets_at
FROM rate_limit m
LEFT JOIN word w ON w.id = m.harness
WHERE m.window_ms BETWEEN 17900000 AND 18100000 AND m.resets_at > m.happened_at AND m.resets_at <= m.happened_at + m.window_ms + 600000
ORDER BY name, m.resets_at

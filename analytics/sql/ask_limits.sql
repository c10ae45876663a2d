-- The newest observation of each rate limit of each harness, as a whole.
-- columns: harness, name, at, window_ms, used_percent, resets_at, plan
SELECT coalesce(w.text, ''), m.name, m.happened_at, m.window_ms, m.used_percent, m.resets_at, m.plan
FROM rate_limit m
LEFT JOIN word w ON w.id = m.harness
QUALIFY row_number() OVER (PARTITION BY m.harness, m.name ORDER BY m.happened_at DESC, m.resets_at DESC NULLS LAST, m.used_percent DESC NULLS LAST) = 1
ORDER BY 1, 2;

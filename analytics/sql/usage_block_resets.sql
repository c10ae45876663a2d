-- The resets of five-hour limits that logs tell, by harness, each once. A reset
-- that does not lie within its window is nonsense.
-- Columns: harness, reset in epoch milliseconds.
SELECT DISTINCT harness, resets_at
FROM rate_limit
WHERE window_ms BETWEEN 17900000 AND 18100000 AND resets_at > happened_at AND resets_at <= happened_at + window_ms + 600000
ORDER BY harness, resets_at

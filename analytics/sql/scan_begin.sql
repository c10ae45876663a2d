-- Columns: number of the last scan, whether the ledger has no source yet (one
-- without requests may hold prompts, turns and calls already).
SELECT (SELECT coalesce(max(id), 0) FROM scan), NOT EXISTS (SELECT 1 FROM source)

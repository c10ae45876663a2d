-- One row for each request, those after row ? of the ledger.
-- columns: id, session, created (seconds or milliseconds), model, input (cache
-- included), output, cache read, cache write, cost as text, source of the cost,
-- whether it compacted the conversation, whether it is the session's first
SELECT id, session_id, created_timestamp, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
       CAST(cost AS TEXT), cost_source, is_compaction,
       NOT EXISTS (SELECT 1 FROM usage_ledger AS before WHERE before.session_id = l.session_id AND before.id < l.id)
FROM usage_ledger AS l
WHERE id > ?
ORDER BY id
LIMIT 5000

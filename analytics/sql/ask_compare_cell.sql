-- The requests of one cell: ended in [$1, $2), of the root session $3 ('' = all)
-- and one of the harnesses $4; at most $5.
-- columns: id, model, root session, session, input, output, cache_read, cache_write, reasoning,
-- writes for an hour, recorded, priced, sub-agent's, kept (its log is gone or
-- lacks it), copied (other sources hold it), aborted, path, line
SELECT r.id, m.text, root.native, s.native, coalesce(r.input, 0), coalesce(r.output, 0), coalesce(r.cache_read, 0),
       coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0), coalesce(r.reasoning, 0),
       coalesce(r.cache_write_1h, 0), r.recorded_pusd IS NOT NULL, r.recorded_pusd IS NOT NULL OR r.list_pusd IS NOT NULL,
       s.relation = 'subagent', fc.vanished OR coalesce(f.gone, false), r.id IN (SELECT id FROM sighting), fc.aborted, coalesce(f.path, ''), r.line
FROM request r
JOIN session s ON s.id = r.session
JOIN session root ON root.id = s.root
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN source f ON f.id = r.source
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word m ON m.id = r.model
WHERE r.ended_at >= $1 AND r.ended_at < $2 AND ($3 = '' OR root.native = $3) AND h.text IN (SELECT unnest($4::VARCHAR[]))
ORDER BY r.ended_at, r.line
LIMIT $5;

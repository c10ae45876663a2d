-- The newest $5 requests of the sessions $1 that ended in [$2, $3), oldest
-- first. A start that lies after the end or more than 30 minutes before it is
-- none ($4).
-- columns: session, started_at, ended_at, model, input, output, reasoning, cache_read, cache_write, tools (one a line)
SELECT session, started_at, ended_at, model, input, output, reasoning, cache_read, cache_write, tools FROM (
  SELECT r.session, CASE WHEN r.started_at <= r.ended_at AND r.started_at >= r.ended_at - $4 THEN r.started_at END AS started_at, r.ended_at,
         m.text AS model, r.input, r.output, r.reasoning, r.cache_read,
         CASE WHEN r.cache_write_5m IS NULL AND r.cache_write_1h IS NULL THEN NULL ELSE coalesce(r.cache_write_5m, 0) + coalesce(r.cache_write_1h, 0) END AS cache_write,
         tl.text AS tools, r.source, r.line
  FROM request r
  LEFT JOIN word m ON m.id = r.model
  LEFT JOIN word tl ON tl.id = r.tools
  WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at >= $2 AND r.ended_at < $3
  ORDER BY r.ended_at DESC, r.source DESC, r.line DESC
  LIMIT $5
) ORDER BY ended_at, source, line;

-- The newest $2 events of the sessions $1 in [$3, $4), oldest first.
-- columns: at, session, kind, detail
SELECT happened_at, native, kind, detail FROM (
  SELECT e.happened_at, s.native, e.kind, e.detail, e.line
  FROM event e JOIN session s ON s.id = e.session
  WHERE e.session IN (SELECT unnest($1::INTEGER[])) AND e.happened_at >= $3 AND e.happened_at < $4
  ORDER BY e.happened_at DESC, e.line DESC
  LIMIT $2
) ORDER BY happened_at, line;

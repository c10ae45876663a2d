-- The newest $4 tool calls of the sessions $1 that ended (else began) in [$2, $3), oldest first.
-- columns: session, name, started_at, ended_at, ok
SELECT session, name, started_at, ended_at, ok FROM (
  SELECT c.session, coalesce(nullif(n.text, ''), 'unknown') AS name, c.started_at, c.ended_at, c.ok, coalesce(c.started_at, c.ended_at) AS moment, c.id
  FROM tool_call c
  LEFT JOIN word n ON n.id = c.name
  WHERE c.session IN (SELECT unnest($1::INTEGER[])) AND coalesce(c.ended_at, c.started_at) >= $2 AND coalesce(c.ended_at, c.started_at) < $3
  ORDER BY moment DESC, c.id
  LIMIT $4
) ORDER BY moment, id;

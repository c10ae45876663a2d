-- The sources that hold records of the sessions $1 (requests between $2 and $3).
-- columns: path, kind, machine, gone
SELECT f.path, f.kind, f.machine, f.gone
FROM source f
WHERE f.id IN (
  SELECT r.source FROM request r WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at BETWEEN $2 AND $3
  UNION
  SELECT g.source FROM sighting g JOIN request r ON r.id = g.id WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at BETWEEN $2 AND $3
  UNION
  SELECT p.source FROM prompt p WHERE p.session IN (SELECT unnest($1::INTEGER[]))
  UNION
  SELECT c.source FROM tool_call c WHERE c.session IN (SELECT unnest($1::INTEGER[]))
  UNION
  SELECT e.source FROM event e WHERE e.session IN (SELECT unnest($1::INTEGER[])))
ORDER BY f.path;

-- The sources that hold records of those requests, or of other things of those
-- sessions (a log whose every record was dropped has no request).
-- columns: id, harness, path, machine, gone
WITH chosen AS (
  SELECT id, source FROM request
  WHERE ended_at >= $2 AND ended_at < $3 AND (len($1::INTEGER[]) = 0 OR session IN (SELECT unnest($1::INTEGER[])))
)
SELECT f.id, h.text, f.path, f.machine, f.gone
FROM source f
LEFT JOIN word h ON h.id = f.harness
WHERE f.id IN (
  SELECT source FROM chosen
  UNION SELECT g.source FROM sighting g JOIN chosen c ON c.id = g.id
  UNION SELECT source FROM prompt WHERE session IN (SELECT unnest($1::INTEGER[]))
  UNION SELECT source FROM event WHERE session IN (SELECT unnest($1::INTEGER[])) OR (len($1::INTEGER[]) = 0 AND happened_at >= $2 AND happened_at < $3))
ORDER BY f.path, f.id;

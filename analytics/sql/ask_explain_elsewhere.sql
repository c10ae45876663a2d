-- The other requests that the sources $1 hold and that ended in [$2, $3).
-- columns: id, session, ended_at
SELECT r.id, s.native, r.ended_at
FROM request r
JOIN session s ON s.id = r.session
WHERE r.ended_at >= $2 AND r.ended_at < $3
  AND (r.source IN (SELECT unnest($1::INTEGER[])) OR r.id IN (SELECT id FROM sighting WHERE source IN (SELECT unnest($1::INTEGER[]))));

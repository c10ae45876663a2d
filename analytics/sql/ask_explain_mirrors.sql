-- The places in the sources $1 that hold calls of which another harness's row counts.
-- columns: harness and path of the source, line, harness, session, ended_at of the row
SELECT fh.text, f.path, g.line, h.text, s.native, r.ended_at
FROM sighting g
JOIN source f ON f.id = g.source
JOIN request r ON r.id = g.id
JOIN session s ON s.id = r.session
LEFT JOIN word fh ON fh.id = f.harness
LEFT JOIN word h ON h.id = r.harness
WHERE f.harness <> r.harness AND g.source IN (SELECT unnest($1::INTEGER[]));

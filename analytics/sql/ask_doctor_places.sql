-- What is read, by harness and machine of the source ('' is this one).
-- columns: harness, machine, sources, gone, bytes, requests, vanished, requests
-- that other sources hold too, those that such a copy dates otherwise, first_at, last_at, problems
WITH late AS (
  SELECT DISTINCT g.id FROM sighting g JOIN request r ON r.id = g.id WHERE g.ended_at <> r.ended_at
), held AS (
  SELECT r.source, count(*) AS requests, count(*) FILTER (fc.vanished) AS vanished, min(r.ended_at) AS first_at, max(r.ended_at) AS last_at,
         count(*) FILTER (r.id IN (SELECT id FROM sighting)) AS copied, count(*) FILTER (r.id IN (SELECT id FROM late)) AS late
  FROM request r
  LEFT JOIN facet fc ON fc.id = r.facet
  GROUP BY r.source
), bad AS (
  SELECT source, count(*) AS problems FROM problem GROUP BY source
)
SELECT h.text, f.machine, count(*), count(*) FILTER (f.gone), sum(f.size), coalesce(sum(r.requests), 0), coalesce(sum(r.vanished), 0), coalesce(sum(r.copied), 0), coalesce(sum(r.late), 0),
       min(r.first_at), max(r.last_at), coalesce(sum(b.problems), 0)
FROM source f
LEFT JOIN word h ON h.id = f.harness
LEFT JOIN held r ON r.source = f.id
LEFT JOIN bad b ON b.source = f.id
GROUP BY h.text, f.machine
ORDER BY h.text, f.machine;

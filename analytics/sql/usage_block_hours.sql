-- The full hours in which a harness has requests outside recorded blocks, or
-- prompts after its last request.
-- Columns: harness by number and name, hours since 1970.
WITH signs AS (
  SELECT harness, ended_at AS at FROM request
  UNION ALL
  SELECT p.harness, p.happened_at
  FROM prompt p LEFT JOIN (SELECT harness, max(ended_at) AS at FROM request GROUP BY harness) newest ON newest.harness = p.harness
  WHERE (p.happened_at <= newest.at) IS NOT TRUE AND p.id NOT IN (SELECT id FROM unanswered)
)
SELECT h.harness, coalesce(w.text, '') AS name, h.hour
FROM (SELECT DISTINCT r.harness, {hour} AS hour FROM signs r{join} {outside}) h
LEFT JOIN word w ON w.id = h.harness
ORDER BY name, h.hour

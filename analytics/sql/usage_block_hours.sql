-- The full hours in which a harness has requests outside recorded blocks.
-- Columns: harness by number and name, hours since 1970.
SELECT h.harness, coalesce(w.text, '') AS name, h.hour
FROM (SELECT DISTINCT r.harness, {hour} AS hour FROM request r{join} {outside}) h
LEFT JOIN word w ON w.id = h.harness
ORDER BY name, h.hour

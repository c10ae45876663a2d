-- The days with requests that ended before $1 or from $2 on, of the harnesses
-- $3, oldest first. {day} is the day of r.ended_at in the report's zone.
-- columns: day since 1970
SELECT DISTINCT {day} AS day
FROM request r
JOIN word h ON h.id = r.harness
WHERE (r.ended_at < $1 OR r.ended_at >= $2) AND h.text IN (SELECT unnest($3::VARCHAR[]))
ORDER BY 1;

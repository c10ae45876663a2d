-- Tokens by quarter of an hour in [$1, $2), of the harnesses $3: what any zone's
-- days are made of.
-- columns: quarters since 1970, tokens
SELECT r.ended_at // 900000, coalesce(sum(r.input), 0) + coalesce(sum(r.output), 0) + coalesce(sum(r.cache_read), 0)
       + coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0)
FROM request r
JOIN word h ON h.id = r.harness
WHERE r.ended_at >= $1 AND r.ended_at < $2 AND h.text IN (SELECT unnest($3::VARCHAR[]))
GROUP BY ALL;

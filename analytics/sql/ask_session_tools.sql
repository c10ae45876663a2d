-- Tool calls of the sessions $1 that ended (else began) in [$2, $3), by name, most
-- used first; one without a time belongs to no window but all time.
-- columns: name, calls, ok, failed, calls with both times, their sum in ms
SELECT coalesce(nullif(n.text, ''), 'unknown'), count(*), count(*) FILTER (WHERE c.ok), count(*) FILTER (WHERE NOT c.ok),
       count(c.ended_at - c.started_at), sum(c.ended_at - c.started_at)::BIGINT
FROM tool_call c
LEFT JOIN word n ON n.id = c.name
WHERE c.session IN (SELECT unnest($1::INTEGER[]))
  AND coalesce(c.ended_at >= $2, c.started_at >= $2, $2 = -9223372036854775808) AND coalesce(c.ended_at < $3, c.started_at < $3, $3 = 9223372036854775807)
GROUP BY ALL
ORDER BY count(*) DESC, 1;

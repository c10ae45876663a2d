-- Tool calls of the sessions $1 by name, most used first.
-- columns: name, calls, ok, failed, calls with both times, their sum in ms
SELECT coalesce(nullif(n.text, ''), 'unknown'), count(*), count(*) FILTER (WHERE c.ok), count(*) FILTER (WHERE NOT c.ok),
       count(c.ended_at - c.started_at), sum(c.ended_at - c.started_at)::BIGINT
FROM tool_call c
LEFT JOIN word n ON n.id = c.name
WHERE c.session IN (SELECT unnest($1::INTEGER[]))
GROUP BY ALL
ORDER BY count(*) DESC, 1;

-- The requests that ended in [$2, $3), of the sessions $1 (empty: of all), oldest first.
-- columns: id, harness, session, started_at, ended_at, model, input, output,
-- reasoning, cache_read, cache_write_5m, cache_write_1h, recorded_pusd,
-- list_pusd, price_key, price_table, rule, source, line, offset, aborted,
-- vanished, when the scan began that saw it first, requests that it counts as
SELECT r.id, h.text, s.native, r.started_at, r.ended_at, m.text,
       r.input, r.output, r.reasoning, r.cache_read, r.cache_write_5m, r.cache_write_1h,
       r.recorded_pusd, r.list_pusd, k.text, pt.text, ru.text, r.source, r.line, r."offset", fc.aborted, fc.vanished, c.started_at, r.calls
FROM request r
JOIN session s ON s.id = r.session
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word m ON m.id = r.model
LEFT JOIN word k ON k.id = fc.price_key
LEFT JOIN word pt ON pt.id = fc.price_table
LEFT JOIN word ru ON ru.id = fc.rule
LEFT JOIN scan c ON c.id = r.first_seen
WHERE r.ended_at >= $2 AND r.ended_at < $3
  AND (len($1::INTEGER[]) = 0 OR r.session IN (SELECT unnest($1::INTEGER[])))
ORDER BY r.ended_at, r.source, r.line, r.id;

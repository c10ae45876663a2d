-- Names without a price: requests with tokens or a fee and no cost.
-- columns: harness, provider, model, requests, tokens, first_at, last_at
SELECT h.text, v.text, m.text, count(*),
       coalesce(sum(r.input), 0) + coalesce(sum(r.output), 0) + coalesce(sum(r.cache_read), 0) + coalesce(sum(r.cache_write_5m), 0) + coalesce(sum(r.cache_write_1h), 0) AS tokens,
       min(r.ended_at), max(r.ended_at)
FROM request r
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word h ON h.id = r.harness
LEFT JOIN word v ON v.id = fc.provider
LEFT JOIN word m ON m.id = r.model
WHERE r.recorded_pusd IS NULL AND r.list_pusd IS NULL
  AND greatest(r.input, r.output, r.cache_read, r.cache_write_5m, r.cache_write_1h, r.web_searches) > 0
GROUP BY h.text, v.text, m.text
ORDER BY tokens DESC, h.text, v.text, m.text;

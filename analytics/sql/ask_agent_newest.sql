-- The newest request of the sessions $1 that ended in [$2, $3).
-- columns: ended_at, model, provider
SELECT r.ended_at, m.text, v.text
FROM request r
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word m ON m.id = r.model
LEFT JOIN word v ON v.id = fc.provider
WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at >= $2 AND r.ended_at < $3
ORDER BY r.ended_at DESC, r.line DESC
LIMIT 1;

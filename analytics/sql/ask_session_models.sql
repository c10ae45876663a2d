-- Requests of the sessions $1 that ended in [$2, $3), by model and provider.
-- columns: model, provider, then those of ask_figures.sql
SELECT m.text, v.text,
       /* figures */
FROM request r
LEFT JOIN word m ON m.id = r.model
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word v ON v.id = fc.provider
LEFT JOIN word pc ON pc.id = fc."precision"
WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at >= $2 AND r.ended_at < $3
GROUP BY m.text, v.text
ORDER BY m.text, v.text;

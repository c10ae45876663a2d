-- What reports say of the sessions $1 (empty: of all) in [$2, $3).
-- columns: those of ask_figures.sql
SELECT
       /* figures */
FROM request r
LEFT JOIN word m ON m.id = r.model
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word pc ON pc.id = fc."precision"
WHERE r.ended_at >= $2 AND r.ended_at < $3
  AND (len($1::INTEGER[]) = 0 OR r.session IN (SELECT unnest($1::INTEGER[])));

-- Requests of the sessions $1 that ended in [$2, $3), by session.
-- columns: session, then those of ask_sums.sql
SELECT r.session,
       /* sums */
FROM request r
LEFT JOIN facet fc ON fc.id = r.facet
LEFT JOIN word pc ON pc.id = fc."precision"
WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at >= $2 AND r.ended_at < $3
GROUP BY r.session;

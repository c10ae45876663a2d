-- Requests of the sessions $1 that ended in [$2, $3): all of them, those of
-- session $4 itself, those of the others.
-- columns: part (all, main, subagents), sessions, then those of ask_figures.sql
SELECT CASE WHEN grouping(r.session = $4::INTEGER) = 1 THEN 'all' WHEN r.session = $4::INTEGER THEN 'main' ELSE 'subagents' END, count(DISTINCT r.session),
       /* figures */
FROM request r
LEFT JOIN word m ON m.id = r.model
LEFT JOIN word pc ON pc.id = r."precision"
WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at >= $2 AND r.ended_at < $3
GROUP BY GROUPING SETS ((), (r.session = $4::INTEGER));

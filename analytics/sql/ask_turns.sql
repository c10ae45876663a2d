-- Turns of session $2, from the log's turns, else from its prompts, with what
-- the sessions $1 spent in each (a request belongs to the last turn that began
-- before it; $3 and $4 bound their times).
-- columns: started_at, ended_at, outcome, logged, requests, last request's end,
-- whether the last request called tools, whether it was aborted, whether an
-- interruption is logged, start of the next turn
WITH logged AS (
  SELECT coalesce(started_at, ended_at) AS start, ended_at AS stop, outcome, true AS logged
  FROM turn WHERE session = $2 AND coalesce(started_at, ended_at) IS NOT NULL
), marks AS (
  SELECT * FROM logged
  UNION ALL
  SELECT happened_at, NULL, '', false FROM prompt WHERE session = $2 AND NOT EXISTS (SELECT 1 FROM logged)
), turns AS (
  SELECT row_number() OVER w AS n, *, lead(start) OVER w AS next FROM marks WINDOW w AS (ORDER BY start, stop NULLS LAST)
), spent AS (
  SELECT coalesce(r.started_at, r.ended_at) AS at, r.ended_at, r.tools <> 0 AS called, r.aborted
  FROM request r
  WHERE r.session IN (SELECT unnest($1::INTEGER[])) AND r.ended_at BETWEEN $3 AND $4
), per_turn AS (
  SELECT t.n, count(*) AS requests, max(s.ended_at) AS last_end, arg_max(s.called, s.ended_at) AS called, arg_max(s.aborted, s.ended_at) AS aborted
  FROM spent s ASOF JOIN turns t ON s.at >= t.start
  GROUP BY t.n
), stops AS (
  SELECT t.n, true AS interrupted
  FROM (SELECT happened_at AS at FROM event WHERE session = $2 AND kind = 'interrupted') e ASOF JOIN turns t ON e.at >= t.start
  GROUP BY t.n
)
SELECT t.start, t.stop, t.outcome, t.logged, coalesce(p.requests, 0), p.last_end, coalesce(p.called, false), coalesce(p.aborted, false),
       coalesce(x.interrupted, false), t.next
FROM turns t
LEFT JOIN per_turn p ON p.n = t.n
LEFT JOIN stops x ON x.n = t.n
ORDER BY t.n;

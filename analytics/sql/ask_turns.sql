-- Turns of session $2: those that its log marks, and one for each prompt outside
-- of them, with what the sessions $1 spent in each (a request belongs to the
-- last turn that began before it; $3 and $4 bound their times). A marked turn
-- lasts until its end, or the next marked one; without a start it began at the
-- last prompt.
-- columns: started_at, ended_at, outcome, logged, counted prompts, requests, last
-- request's end, whether the last request called tools, whether it was aborted,
-- whether an interruption is logged, start of the next turn
WITH asked AS (
  SELECT happened_at AS at, id NOT IN (SELECT id FROM unanswered) AS counted FROM prompt WHERE session = $2
), ends AS (
  SELECT coalesce(started_at, ended_at) AS sign, started_at, ended_at AS stop, outcome
  FROM turn WHERE session = $2 AND coalesce(started_at, ended_at) IS NOT NULL
), logged AS (
  SELECT coalesce(e.started_at, a.at, e.stop) AS start, e.stop, e.outcome FROM ends e ASOF LEFT JOIN asked a ON e.sign >= a.at
), covered AS (
  SELECT start, coalesce(stop, lead(start) OVER (ORDER BY start), 9223372036854775807) AS until FROM logged
), marks AS (
  SELECT start, stop, outcome, true AS logged FROM logged
  UNION ALL
  SELECT a.at, NULL, '', false FROM asked a
  WHERE NOT EXISTS (SELECT 1 FROM covered c WHERE a.at = c.start OR (a.at > c.start AND a.at < c.until))
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
), prompts AS (
  SELECT t.n, count(*) AS prompts FROM asked a ASOF JOIN turns t ON a.at >= t.start WHERE a.counted GROUP BY t.n
), stops AS (
  SELECT t.n, true AS interrupted
  FROM (SELECT happened_at AS at FROM event WHERE session = $2 AND kind = 'interrupted') e ASOF JOIN turns t ON e.at >= t.start
  GROUP BY t.n
)
SELECT t.start, t.stop, t.outcome, t.logged, coalesce(q.prompts, 0), coalesce(p.requests, 0), p.last_end, coalesce(p.called, false), coalesce(p.aborted, false),
       coalesce(x.interrupted, false), t.next
FROM turns t
LEFT JOIN per_turn p ON p.n = t.n
LEFT JOIN prompts q ON q.n = t.n
LEFT JOIN stops x ON x.n = t.n
ORDER BY t.n;

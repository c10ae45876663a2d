-- Turns of main sessions: those that its log marks, and one for each prompt
-- outside of them, with what the session and those below it spent in each (a
-- request belongs to the last turn that began before it). A marked turn lasts
-- until its end, or the next marked one; without a start it began at the last
-- prompt. member lists sessions with the top one that they belong to, bounds
-- narrows the time of requests r.
-- columns: top session, started_at, ended_at, outcome, logged, counted prompts,
-- requests, last request's end, whether the last request called tools, whether it
-- was aborted, whether an interruption is logged, start of the next turn
WITH member AS (
  {member}
), asked AS (
  SELECT session AS top, happened_at AS at, id NOT IN (SELECT id FROM unanswered) AS counted
  FROM prompt WHERE session IN (SELECT top FROM member)
), ends AS (
  SELECT session AS top, coalesce(started_at, ended_at) AS sign, started_at, ended_at AS stop, outcome
  FROM turn WHERE session IN (SELECT top FROM member) AND coalesce(started_at, ended_at) IS NOT NULL
), logged AS (
  SELECT e.top, coalesce(e.started_at, a.at, e.stop) AS start, e.stop, e.outcome
  FROM ends e ASOF LEFT JOIN asked a ON e.top = a.top AND e.sign >= a.at
), covered AS (
  SELECT top, start, coalesce(stop, lead(start) OVER (PARTITION BY top ORDER BY start, stop NULLS LAST), 9223372036854775807) AS until FROM logged
), marks AS (
  SELECT top, start, stop, outcome, true AS logged FROM logged
  UNION ALL
  SELECT a.top, a.at, NULL, '', false FROM asked a
  WHERE NOT EXISTS (SELECT 1 FROM covered c WHERE c.top = a.top AND (a.at = c.start OR (a.at > c.start AND a.at < c.until)))
), turns AS (
  SELECT row_number() OVER w AS n, *, lead(start) OVER w AS next FROM marks WINDOW w AS (PARTITION BY top ORDER BY start, stop NULLS LAST, outcome)
), begun AS ( -- of those that began at one moment the last one goes on
  SELECT top, start, max(n) AS n FROM turns GROUP BY top, start
), spent AS (
  SELECT m.top, coalesce(r.started_at, r.ended_at) AS at, r.ended_at, r.tools <> 0 AS called, fc.aborted
  FROM request r JOIN member m ON m.session = r.session
  LEFT JOIN facet fc ON fc.id = r.facet
  WHERE {bounds}
), per_turn AS (
  SELECT t.top, t.n, count(*) AS requests, max(s.ended_at) AS last_end, arg_max(s.called, 2 * s.ended_at + s.called::INTEGER) AS called, arg_max(s.aborted, 2 * s.ended_at + s.aborted::INTEGER) AS aborted
  FROM spent s ASOF JOIN begun t ON s.top = t.top AND s.at >= t.start
  GROUP BY t.top, t.n
), prompts AS (
  SELECT t.top, t.n, count(*) AS prompts FROM asked a ASOF JOIN begun t ON a.top = t.top AND a.at >= t.start WHERE a.counted GROUP BY t.top, t.n
), stops AS (
  SELECT t.top, t.n, true AS interrupted
  FROM (SELECT session AS top, happened_at AS at FROM event WHERE session IN (SELECT top FROM member) AND kind = 'interrupted') e
  ASOF JOIN begun t ON e.top = t.top AND e.at >= t.start
  GROUP BY t.top, t.n
)
SELECT t.top, t.start, t.stop, t.outcome, t.logged, coalesce(q.prompts, 0) AS prompts, coalesce(p.requests, 0) AS requests, p.last_end,
       coalesce(p.called, false) AS called, coalesce(p.aborted, false) AS aborted, coalesce(x.interrupted, false) AS interrupted, t.next
FROM turns t
LEFT JOIN per_turn p ON p.top = t.top AND p.n = t.n
LEFT JOIN prompts q ON q.top = t.top AND q.n = t.n
LEFT JOIN stops x ON x.top = t.top AND x.n = t.n
ORDER BY t.top, t.n

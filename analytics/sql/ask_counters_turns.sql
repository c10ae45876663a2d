-- How many turns of all main sessions came to an end in the same way. turns is
-- ask_turns.sql over all of them.
-- columns: harness, those of a turn that tell how it ended and whether it counts
-- (outcome, has an end, logged, interrupted, aborted, called, has a next, has requests), turns
SELECT coalesce(h.text, ''), t.outcome, t.stop IS NOT NULL, t.logged, t.interrupted, t.aborted, t.called, t.next IS NOT NULL, t.requests > 0, count(*)
FROM ({turns}) t
JOIN session s ON s.id = t.top
LEFT JOIN word h ON h.id = s.harness
GROUP BY ALL
ORDER BY ALL

-- Main sessions of harness $1 with a request that ended at or after $2, the newest first.
-- columns: native id, project ('' where it is not logged), first_at, last_at
SELECT s.native, coalesce(p.text, ''), s.first_at, s.last_at
FROM session s
JOIN word h ON h.id = s.harness
LEFT JOIN word p ON p.id = s.project
WHERE h.text = $1 AND s.relation <> 'subagent' AND s.last_at >= $2
ORDER BY s.last_at DESC, s.native
LIMIT 100;

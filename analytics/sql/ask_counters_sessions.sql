-- Sessions with a request, sub-agents folded into their root.
-- columns: harness, sessions
SELECT h.text, count(DISTINCT s.root)
FROM session s
JOIN word h ON h.id = s.harness
WHERE s.first_at IS NOT NULL
GROUP BY 1
ORDER BY 1;

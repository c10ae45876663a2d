-- The newest $1 sessions (sub-agents folded into their root), without a window.
-- $2 harness ('' = any). $3: only what comes after the session $6 of harness $5,
-- whose last_at is $4 (none: the least number).
-- columns: id, first_at, last_at (of their requests)
WITH life AS (
  SELECT root, min(first_at) AS first_at, max(last_at) AS last_at FROM session GROUP BY root
), asked AS (
  SELECT s.root, max(p.happened_at) AS last_at
  FROM prompt p JOIN session s ON s.id = p.session
  GROUP BY s.root
)
SELECT s.id, l.first_at, l.last_at
FROM session s
JOIN word h ON h.id = s.harness
JOIN life l ON l.root = s.id
LEFT JOIN asked a ON a.root = s.id
WHERE s.root = s.id
  AND ($2 = '' OR h.text = $2)
  AND (NOT $3 OR coalesce(greatest(l.last_at, a.last_at), s.last_reply_at, -9223372036854775808) < $4
       OR coalesce(greatest(l.last_at, a.last_at), s.last_reply_at, -9223372036854775808) = $4 AND (s.native, h.text) > ($6, $5))
ORDER BY coalesce(greatest(l.last_at, a.last_at), s.last_reply_at) DESC NULLS LAST, s.native, h.text
LIMIT $1;

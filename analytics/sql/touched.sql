-- Root sessions that were alive on the days of rollup_dirty, a day more or less.
-- Columns: root.
SELECT s.root
FROM session s
LEFT JOIN (SELECT session, min(happened_at) AS first_at, max(happened_at) AS last_at FROM prompt GROUP BY session) p ON p.session = s.id
GROUP BY s.root
HAVING min(least(s.first_at, p.first_at)) < (SELECT (max(day) + 2) * 86400000::BIGINT FROM rollup_dirty)
   AND max(greatest(s.last_at, p.last_at)) >= (SELECT (min(day) - 1) * 86400000::BIGINT FROM rollup_dirty)

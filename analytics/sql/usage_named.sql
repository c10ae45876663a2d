-- The sessions ?1 of a filter.
-- Columns: number, first and last request (null without one).
SELECT s.id, s.first_at, s.last_at
FROM session s
WHERE s.id IN (SELECT unnest(?1::INTEGER[]))
ORDER BY s.id

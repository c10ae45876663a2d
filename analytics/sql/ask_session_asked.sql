-- The prompts of the sessions $1 that were typed in [$2, $3) and count.
-- columns: prompts
SELECT count(*) FROM prompt
WHERE session IN (SELECT unnest($1::INTEGER[])) AND happened_at >= $2 AND happened_at < $3 AND id NOT IN (SELECT id FROM unanswered);

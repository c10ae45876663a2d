-- The newest $2 prompts of session $1 in [$3, $4), oldest first.
-- columns: at, preview
SELECT happened_at, preview FROM (SELECT happened_at, preview, line FROM prompt WHERE session = $1 AND happened_at >= $3 AND happened_at < $4 ORDER BY happened_at DESC, line DESC LIMIT $2) ORDER BY happened_at, line;

-- The prompts that count.
-- columns: prompts
SELECT count(*) FROM prompt WHERE id NOT IN (SELECT id FROM unanswered);

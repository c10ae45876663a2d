-- Prompts that went out or were dropped, newest first: ? an agent ('' for all), ? that again, ? how many.
-- columns: entry
SELECT entry FROM prompt_queue WHERE state NOT IN ('queued', 'waiting', 'delivering') AND (? = '' OR agent = ?) ORDER BY changed_at DESC, created_at DESC LIMIT ?;

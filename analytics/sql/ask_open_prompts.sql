-- Prompts that may still go out, agent by agent in their order.
-- columns: entry
SELECT entry FROM prompt_queue WHERE state IN ('queued', 'waiting', 'delivering') ORDER BY agent, rank, created_at;

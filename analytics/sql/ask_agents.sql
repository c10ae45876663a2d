-- Every agent that was ever known, in that order.
-- columns: those of the table agent
SELECT id, name, harness, kind, origin, workspace, dir, argv, model, dangerous, trust, generation, pid, created_at, started_at, exited_at, exit_code, seen_at
FROM agent ORDER BY created_at, id;

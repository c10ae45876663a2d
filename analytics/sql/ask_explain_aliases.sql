-- The ids that stand for others; one may stand for a further alias.
-- columns: id, canonical
SELECT id, canonical FROM alias WHERE id <> canonical;

-- Whether texts are in the ledger.
-- Columns: whether.
SELECT EXISTS (SELECT 1 FROM session WHERE title <> '' OR last_reply <> '') OR EXISTS (SELECT 1 FROM prompt WHERE preview <> '')

CREATE TABLE ItemTable(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO ItemTable VALUES('cursorAuth/accessToken','never read');
CREATE TABLE cursorDiskKV(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
INSERT INTO cursorDiskKV VALUES
 ('composerData:c1','{"_v":3,"composerId":"c1","name":"Fix lint","createdAt":1787990400000,"lastUpdatedAt":1787990430000,"modelConfig":{"modelName":"claude-sonnet-4-5"},"workspaceIdentifier":{"id":"w","uri":{"fsPath":"/srv/demo-shop"}},"trackedGitRepos":[{"branches":[{"branchName":"main"}]}],"subComposerIds":["c2"],"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b3","type":2}]}'),
 ('bubbleId:c1:b1','{"_v":3,"type":1,"bubbleId":"b1","text":"Fix the lint errors","createdAt":"2026-08-29T08:00:01.000Z"}'),
 ('bubbleId:c1:b2',CAST('{"_v":3,"type":2,"bubbleId":"b2","text":"","createdAt":"2026-08-29T08:00:05.000Z","tokenCount":{"inputTokens":900,"outputTokens":80},"toolFormerData":{"name":"run_terminal_cmd","status":"completed","result":"x"}}' AS BLOB)),
 ('bubbleId:c1:b3','{"_v":3,"type":2,"bubbleId":"b3","text":"All clean.","createdAt":"2026-08-29T08:00:20.000Z"}'),
 ('bubbleId:c1:b4','{"_v":3,"type":2,"bubbleId":"b4","text":"","createdAt":"2026-08-29T08:00:25.000Z","toolFormerData":{"name":"edit_file","status":"error"}}'),
 ('bubbleId:c1:b5','null'),
 ('composerData:c2','{"composerId":"c2","name":"Look around","createdAt":1787990410000,"subagentInfo":{"type":"explore"}}'),
 ('bubbleId:c2:b1','{"type":1,"text":"What the agent asked","createdAt":"2026-08-29T08:00:10.000Z"}'),
 ('composerData:c3','{"composerId":"c3","name":"Oldest","createdAt":1740000000000,"conversation":[{"type":1,"bubbleId":"o1","text":"An old question"},{"type":2,"bubbleId":"o2","text":"An old answer"}]}'),
 ('composerData:c4','{"composerId":'),
 ('composerData:c5',NULL),
 ('checkpointId:c1:x','{"secret":"other keys are not read"}');

CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE session (id text PRIMARY KEY, project_id text, parent_id text, directory text, title text, time_created integer, time_updated integer);
INSERT INTO session VALUES('ses_a','p',NULL,'/srv/shop','Named',1791187200000,1791187200000);
INSERT INTO message VALUES('msg_a','ses_a',1791187200200,1791187202500,'{"role":"assistant","tokens":{"total":11,"input":11,"output":0,"reasoning":0,"cache":{"read":0,"write":0}},"modelID":"m","providerID":"p","time":{"created":1791187200200,"completed":1791187202500}}');

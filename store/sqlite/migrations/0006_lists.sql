-- The last receipts, and the usage of an owner since a time, are found without
-- reading all turns; expired early stops, and an owner's oldest, without reading all
-- of them.
CREATE INDEX turns_ended ON turns (accepted DESC, id DESC) WHERE receipt IS NOT NULL;
CREATE INDEX spending_of_owner ON spending (owner, at);
CREATE INDEX intents_of_owner ON intents (owner, at, turn);
CREATE INDEX intents_by_time ON intents (at);

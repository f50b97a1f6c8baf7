-- The last receipts, and the usage of an owner since a time, are found without
-- reading all turns; an owner's oldest early stops without reading all of them.
CREATE INDEX turns_ended ON turns (accepted DESC, id DESC) WHERE receipt IS NOT NULL;
CREATE INDEX spending_of_owner ON spending (owner, at);
CREATE INDEX intents_of_owner ON intents (owner, at, turn);

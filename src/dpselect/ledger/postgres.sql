-- The tables of one ledger, in a schema of its own that is the search path: the same as in an SQLite file.
CREATE TABLE terms (format integer NOT NULL, body text NOT NULL);
CREATE TABLE events (row bigint PRIMARY KEY, body text NOT NULL, hash text NOT NULL);
CREATE TABLE totals (rows bigint NOT NULL, body text NOT NULL, tail text NOT NULL);

-- One row each.
CREATE UNIQUE INDEX one_of_terms ON terms ((true));
CREATE UNIQUE INDEX one_of_totals ON totals ((true));

CREATE FUNCTION only_grows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a ledger only grows';
END $$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION only_grows();
CREATE TRIGGER only_grows BEFORE DELETE OR TRUNCATE ON totals
    FOR EACH STATEMENT EXECUTE FUNCTION only_grows();
CREATE TRIGGER only_grows BEFORE DELETE OR TRUNCATE ON terms
    FOR EACH STATEMENT EXECUTE FUNCTION only_grows();

-- Totals are written with every row, and never again without one.
CREATE FUNCTION one_more() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.rows <> OLD.rows + 1 THEN
        RAISE EXCEPTION 'a ledger only grows';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER one_more BEFORE UPDATE ON totals FOR EACH ROW EXECUTE FUNCTION one_more();

-- Terms never change, but for the number of the format.
CREATE FUNCTION newer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.format <= OLD.format OR NEW.body <> OLD.body THEN
        RAISE EXCEPTION 'the terms of a ledger never change';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER newer BEFORE UPDATE ON terms FOR EACH ROW EXECUTE FUNCTION newer();

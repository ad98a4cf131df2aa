CREATE FUNCTION dpselect_stands() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'this record stands'; END $$;
CREATE TRIGGER kept_changes BEFORE DELETE OR UPDATE ON changes FOR EACH ROW EXECUTE FUNCTION dpselect_stands();
CREATE TRIGGER fixed_answers BEFORE UPDATE ON requests FOR EACH ROW WHEN (OLD.answer IS NOT NULL) EXECUTE FUNCTION dpselect_stands();
CREATE TRIGGER kept_requests BEFORE DELETE ON requests FOR EACH ROW EXECUTE FUNCTION dpselect_stands();

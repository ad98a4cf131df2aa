CREATE TRIGGER kept_streams BEFORE DELETE ON streams FOR EACH ROW EXECUTE FUNCTION dpselect_stands();
CREATE TRIGGER ended_streams BEFORE UPDATE ON streams FOR EACH ROW WHEN (OLD.state = 'ended') EXECUTE FUNCTION dpselect_stands();
CREATE TRIGGER held_streams BEFORE UPDATE ON streams FOR EACH ROW WHEN (OLD.state = 'open' AND (NEW.state = 'opening' OR NEW.holder IS DISTINCT FROM OLD.holder)) EXECUTE FUNCTION dpselect_stands();
CREATE TRIGGER kept_stream_queries BEFORE DELETE OR UPDATE ON stream_queries FOR EACH ROW EXECUTE FUNCTION dpselect_stands();

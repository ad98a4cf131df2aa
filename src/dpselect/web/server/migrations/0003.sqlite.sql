CREATE TRIGGER kept_streams BEFORE DELETE ON streams BEGIN SELECT RAISE(ABORT, 'a stream stands'); END;
CREATE TRIGGER ended_streams BEFORE UPDATE ON streams WHEN OLD.state = 'ended' BEGIN SELECT RAISE(ABORT, 'a stream that has ended stands'); END;
CREATE TRIGGER held_streams BEFORE UPDATE ON streams WHEN OLD.state = 'open' AND (NEW.state = 'opening' OR NEW.holder IS NOT OLD.holder) BEGIN SELECT RAISE(ABORT, 'a stream is opened once'); END;
CREATE TRIGGER kept_stream_queries BEFORE DELETE ON stream_queries BEGIN SELECT RAISE(ABORT, 'an answer stands'); END;
CREATE TRIGGER fixed_stream_queries BEFORE UPDATE ON stream_queries BEGIN SELECT RAISE(ABORT, 'an answer stands'); END;

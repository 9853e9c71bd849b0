package org.plumbline.app.plumbing;

import jakarta.persistence.PersistenceException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.plumbline.domain.Problem;

/** Answers where the database failed: 503 when it is gone, else 500 with a line in the log. */
@Provider
public class Failures implements ExceptionMapper<PersistenceException> {
    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    @Override
    public Response toResponse(PersistenceException failure) {
        if (isGone(failure)) {
            return Problems.answer(Problem.databaseGone());
        }
        throw failure;
    }

    /** The pool names no state when it has no connection to lend; the database always does. */
    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLException said
                            && (said.getSQLState() == null
                                    || said.getSQLState().startsWith(CONNECTION)
                                    || said.getSQLState().startsWith(OPERATOR_INTERVENTION))) {
                return true;
            }
        }
        return false;
    }
}

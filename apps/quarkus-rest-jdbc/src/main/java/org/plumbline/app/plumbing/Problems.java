package org.plumbline.app.plumbing;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;
import java.util.concurrent.TimeoutException;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
public class Problems {
    /** SQLSTATE classes of a connection that broke and of a server that shuts down. */
    private static final String CONNECTION = "08";

    private static final String OPERATOR_INTERVENTION = "57";

    @ServerExceptionMapper
    Response refused(Refused refused) {
        return answer(refused.problem());
    }

    @ServerExceptionMapper
    Response unfitting(MismatchedInputException unfitting) {
        return answer(Problem.notAnObject());
    }

    /** Quarkus wraps what Jackson says of a text that is no JSON at all. */
    @ServerExceptionMapper
    Response unreadable(WebApplicationException failed) {
        return failed.getCause() instanceof JacksonException ? answer(Problem.notAnObject()) : failed.getResponse();
    }

    @ServerExceptionMapper
    Response failed(Statements.Failed failed) {
        if (isGone(failed)) {
            return answer(Problem.databaseGone());
        }
        throw failed;
    }

    /** A broken connection, a server that shuts down, or none within the timeout. */
    private static boolean isGone(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException) {
                return true;
            }
            if (cause instanceof SQLException said
                    && said.getSQLState() != null
                    && (said.getSQLState().startsWith(CONNECTION)
                            || said.getSQLState().startsWith(OPERATOR_INTERVENTION))) {
                return true;
            }
        }
        return false;
    }

    private static Response answer(Problem problem) {
        return Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem).build();
    }
}

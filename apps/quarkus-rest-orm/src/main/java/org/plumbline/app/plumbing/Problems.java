package org.plumbline.app.plumbing;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import org.hibernate.JDBCException;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
public class Problems {

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
    Response failed(JDBCException failed) {
        if (Pool.isGone(failed)) {
            return answer(Problem.databaseGone());
        }
        throw failed;
    }

    private static Response answer(Problem problem) {
        return Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem).build();
    }
}

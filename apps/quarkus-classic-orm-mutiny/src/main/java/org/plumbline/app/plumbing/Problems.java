package org.plumbline.app.plumbing;

import com.fasterxml.jackson.core.JsonProcessingException;
import jakarta.annotation.Priority;
import jakarta.ws.rs.Priorities;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.hibernate.JDBCException;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
public final class Problems {
    private Problems() {}

    @Provider
    public static class OfRefused implements ExceptionMapper<Refused> {
        @Override
        public Response toResponse(Refused refused) {
            return answer(refused.problem());
        }
    }

    /** In place of RESTEasy's own, which answers in plain JSON and logs an error. */
    @Provider
    @Priority(Priorities.USER - 1)
    public static class OfUnreadable implements ExceptionMapper<JsonProcessingException> {
        @Override
        public Response toResponse(JsonProcessingException unreadable) {
            return answer(Problem.notAnObject());
        }
    }

    @Provider
    public static class OfFailed implements ExceptionMapper<JDBCException> {
        @Override
        public Response toResponse(JDBCException failed) {
            if (Pool.isGone(failed)) {
                return answer(Problem.databaseGone());
            }
            throw failed;
        }
    }

    private static Response answer(Problem problem) {
        return Response.status(problem.status()).type(Problem.MEDIA_TYPE).entity(problem).build();
    }
}

package org.plumbline.app.plumbing;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import jakarta.ws.rs.ext.Provider;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
@Provider
public class Problems implements ExceptionMapper<Refused> {
    @Override
    public Response toResponse(Refused refused) {
        return answer(refused.problem());
    }

    static Response answer(Problem problem) {
        return Response.status(problem.status())
                .type(Problem.MEDIA_TYPE)
                .entity(problem)
                .build();
    }
}

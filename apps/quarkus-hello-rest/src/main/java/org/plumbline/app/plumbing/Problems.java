package org.plumbline.app.plumbing;

import jakarta.ws.rs.core.Response;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
public class Problems {

    @ServerExceptionMapper
    Response refused(Refused refused) {
        Problem problem = refused.problem();
        return Response.status(problem.status())
                .type(Problem.MEDIA_TYPE)
                .entity(problem.toJson())
                .build();
    }
}

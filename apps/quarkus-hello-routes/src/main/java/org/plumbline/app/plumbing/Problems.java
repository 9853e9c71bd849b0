package org.plumbline.app.plumbing;

import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import jakarta.enterprise.context.ApplicationScoped;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Error answers. */
@ApplicationScoped
public class Problems {

    @Route(type = HandlerType.FAILURE)
    void refused(Refused refused, HttpServerResponse response) {
        Problem problem = refused.problem();
        response.setStatusCode(problem.status())
                .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
                .end(problem.toJson());
    }
}

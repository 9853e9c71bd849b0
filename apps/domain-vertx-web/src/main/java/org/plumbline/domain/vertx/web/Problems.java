package org.plumbline.domain.vertx.web;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.Json;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Refusals become error answers; every other failure is left to Vert.x Web, which logs it and answers 500. */
public final class Problems {
    private Problems() {}

    public static void mount(Router router) {
        router.route().failureHandler(Problems::answer);
    }

    private static void answer(RoutingContext context) {
        if (context.failure() instanceof Refused refused) {
            context.response()
                    .setStatusCode(refused.problem().status())
                    .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
                    .end(Json.encodeToBuffer(refused.problem()));
        } else {
            context.next();
        }
    }
}

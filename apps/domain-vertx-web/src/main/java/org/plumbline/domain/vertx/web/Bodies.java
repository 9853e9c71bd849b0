package org.plumbline.domain.vertx.web;

import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** JSON in and out, alike for all workloads. */
public final class Bodies {
    private static final long LIMIT_BYTES = 64 * 1024;

    private Bodies() {}

    /** Takes a body into memory; a longer one is 413. */
    public static BodyHandler reader() {
        return BodyHandler.create(false).setBodyLimit(LIMIT_BYTES);
    }

    /** The body, or {@link Refused} when it is no JSON object of that shape. */
    public static <T> T read(RoutingContext context, Class<T> shape) {
        T body;
        try {
            body = context.body().asPojo(shape);
        } catch (DecodeException notThatShape) {
            throw new Refused(Problem.notAnObject());
        }
        if (body == null) {
            throw new Refused(Problem.notAnObject());
        }
        return body;
    }

    /** Answers what comes, or the failure that comes in its place. */
    public static void answer(RoutingContext context, int status, Future<?> body) {
        body.onSuccess(view -> send(context, status, view)).onFailure(context::fail);
    }

    /** Answers what is there already. */
    public static void send(RoutingContext context, int status, Object body) {
        context.response().setStatusCode(status);
        context.json(body);
    }
}

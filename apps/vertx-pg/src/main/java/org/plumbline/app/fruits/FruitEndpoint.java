package org.plumbline.app.fruits;

import io.vertx.core.Future;
import io.vertx.core.json.DecodeException;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;

/** Routes of the workload fruits. */
public final class FruitEndpoint {
    private static final long BODY_LIMIT_BYTES = 64 * 1024;

    private final FruitService fruits;

    public FruitEndpoint(FruitService fruits) {
        this.fruits = fruits;
    }

    public void mount(Router router) {
        router.get("/fruits").handler(context -> answer(context, 200, fruits.all()));
        router.get("/fruits/:name").handler(context -> answer(context, 200, fruits.named(context.pathParam("name"))));
        router.post("/fruits")
                .handler(BodyHandler.create(false).setBodyLimit(BODY_LIMIT_BYTES))
                .handler(context -> answer(context, 201, fruits.add(body(context).validated())));
    }

    private static NewFruit body(RoutingContext context) {
        NewFruit body;
        try {
            body = context.body().asPojo(NewFruit.class);
        } catch (DecodeException notThatShape) {
            throw new Refused(Problem.notAnObject());
        }
        if (body == null) {
            throw new Refused(Problem.notAnObject());
        }
        return body;
    }

    private static void answer(RoutingContext context, int status, Future<?> body) {
        body.onSuccess(view -> context.response().setStatusCode(status))
                .onSuccess(context::json)
                .onFailure(context::fail);
    }
}

package org.plumbline.app.fruits;

import io.vertx.ext.web.Router;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.vertx.web.Bodies;

/** Routes of the workload fruits. */
public final class FruitEndpoint {
    private final FruitService fruits;

    public FruitEndpoint(FruitService fruits) {
        this.fruits = fruits;
    }

    public void mount(Router router) {
        router.get("/fruits").handler(context -> Bodies.answer(context, 200, fruits.all()));
        router.get("/fruits/:name").handler(context -> Bodies.answer(context, 200, fruits.named(context.pathParam("name"))));
        router.post("/fruits")
                .handler(Bodies.reader())
                .handler(context -> Bodies.answer(context, 201, fruits.add(Bodies.read(context, NewFruit.class).validated())));
    }
}

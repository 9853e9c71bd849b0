package org.plumbline.app.fruits;

import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import java.sql.SQLException;
import org.plumbline.app.plumbing.Json;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.jdbc.FruitService;

/** Routes of the workload fruits. */
public final class FruitEndpoint {
    private final FruitService fruits;

    public FruitEndpoint(FruitService fruits) {
        this.fruits = fruits;
    }

    public void mount(RoutesConfig routes) {
        routes.get("/fruits", this::all);
        routes.get("/fruits/{name}", this::named);
        routes.post("/fruits", this::add);
    }

    private void all(Context context) throws SQLException {
        context.json(fruits.all());
    }

    private void named(Context context) throws SQLException {
        context.json(fruits.named(context.pathParam("name")));
    }

    private void add(Context context) throws SQLException {
        NewFruit fruit = Json.read(context, NewFruit.class);
        context.status(HttpStatus.CREATED).json(fruits.add(fruit.validated()));
    }
}

package org.plumbline.app.fruits;

import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.sql.SQLException;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.jdbc.FruitService;

/** Routes of the workload fruits. */
public final class FruitEndpoint implements HttpService {
    private final FruitService fruits;
    private final Json json;

    public FruitEndpoint(FruitService fruits, Json json) {
        this.fruits = fruits;
        this.json = json;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.get("/fruits", Problems.asking(this::all))
                .get("/fruits/{name}", Problems.asking(this::named))
                .post("/fruits", Problems.asking(this::add));
    }

    private void all(ServerRequest request, ServerResponse response) throws SQLException {
        response.send(fruits.all());
    }

    private void named(ServerRequest request, ServerResponse response) throws SQLException {
        response.send(fruits.named(request.path().pathParameters().get("name")));
    }

    private void add(ServerRequest request, ServerResponse response) throws SQLException, IOException {
        NewFruit fruit = json.read(request, NewFruit.class);
        response.status(Status.CREATED_201).send(fruits.add(fruit.validated()));
    }
}

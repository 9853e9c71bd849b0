package org.plumbline.app.fruits;

import java.sql.SQLException;
import java.util.List;
import org.plumbline.app.plumbing.Answer;
import org.plumbline.app.plumbing.Json;
import org.plumbline.app.plumbing.Problems;

/** Routes of the workload fruits. */
public final class FruitEndpoint {
    private final FruitService fruits;

    public FruitEndpoint(FruitService fruits) {
        this.fruits = fruits;
    }

    public Answer all() throws SQLException, InterruptedException {
        Json json = new Json();
        json.list(fruits.all(), fruit -> write(json, fruit));
        return Answer.json(json);
    }

    public Answer named(String name) throws SQLException, InterruptedException {
        List<Fruit> found = fruits.named(name);
        if (found.isEmpty()) {
            return Problems.notFound("No fruit is named " + name + ".");
        }
        Json json = new Json();
        write(json, found.getFirst());
        return Answer.json(json);
    }

    private static void write(Json json, Fruit fruit) {
        json.raw("{\"id\":").number(fruit.id());
        json.raw(",\"name\":").text(fruit.name());
        json.raw(",\"description\":").text(fruit.description());
        json.raw(",\"prices\":").list(fruit.prices(), price -> write(json, price));
        json.raw("}");
    }

    private static void write(Json json, Fruit.Price price) {
        Fruit.Store store = price.store();
        json.raw("{\"store\":{\"id\":").number(store.id());
        json.raw(",\"name\":").text(store.name());
        json.raw(",\"currency\":").text(store.currency());
        json.raw(",\"address\":").text(store.address());
        json.raw(",\"city\":").text(store.city());
        json.raw(",\"country\":").text(store.country());
        json.raw("},\"price\":").raw(price.price().toPlainString()).raw("}");
    }
}

package org.plumbline.app.fruits;

import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import io.micronaut.scheduling.annotation.ExecuteOn;
import java.util.List;
import org.plumbline.app.plumbing.Workers;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;

/** The workload fruits. */
@Controller("/fruits")
@ExecuteOn(Workers.NAME)
public class FruitEndpoint {
    private final FruitService service;

    FruitEndpoint(FruitService service) {
        this.service = service;
    }

    @Get
    public List<FruitView> all() {
        return service.all();
    }

    @Get("/{name}")
    public FruitView byName(String name) {
        return service.byName(name);
    }

    @Post
    @Status(HttpStatus.CREATED)
    public FruitView create(@Body NewFruit fruit) {
        return service.create(fruit.validated());
    }
}

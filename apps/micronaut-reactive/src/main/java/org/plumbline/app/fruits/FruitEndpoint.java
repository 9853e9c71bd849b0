package org.plumbline.app.fruits;

import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Status;
import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import reactor.core.publisher.Mono;

/** The workload fruits. */
@Controller("/fruits")
public class FruitEndpoint {
    private final FruitService service;

    FruitEndpoint(FruitService service) {
        this.service = service;
    }

    @Get
    public Mono<List<FruitView>> all() {
        return service.all();
    }

    @Get("/{name}")
    public Mono<FruitView> byName(String name) {
        return service.byName(name);
    }

    @Post
    @Status(HttpStatus.CREATED)
    public Mono<FruitView> create(@Body NewFruit fruit) {
        return service.create(fruit.validated());
    }
}

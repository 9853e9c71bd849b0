package org.plumbline.app.fruits;

import java.util.List;
import org.plumbline.domain.FruitView;
import org.plumbline.domain.NewFruit;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The workload fruits. */
@RestController
@RequestMapping("/fruits")
public class FruitEndpoint {
    private final FruitService service;

    FruitEndpoint(FruitService service) {
        this.service = service;
    }

    @GetMapping
    public List<FruitView> all() {
        return service.all();
    }

    @GetMapping("/{name}")
    public FruitView byName(@PathVariable("name") String name) {
        return service.byName(name);
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    public FruitView create(@RequestBody NewFruit fruit) {
        if (fruit == null) { // An empty body, or the literal null.
            throw new Refused(Problem.notAnObject());
        }
        return service.create(fruit.validated());
    }
}

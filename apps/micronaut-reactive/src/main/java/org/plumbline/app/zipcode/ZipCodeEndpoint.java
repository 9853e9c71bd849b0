package org.plumbline.app.zipcode;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import java.util.List;
import org.plumbline.domain.zipcode.ZipCodeView;
import reactor.core.publisher.Mono;

/** The workload zipcode. */
@Controller("/zipcode")
public class ZipCodeEndpoint {
    private final ZipCodeService service;

    ZipCodeEndpoint(ZipCodeService service) {
        this.service = service;
    }

    @Get("/{zip}")
    public Mono<ZipCodeView> byKey(String zip) {
        return service.byKey(zip);
    }

    @Get("/by_city")
    public Mono<List<ZipCodeView>> byCity(@Nullable @QueryValue String city) {
        return service.byCity(ZipCodeView.requireCity(city));
    }

    @Post
    public Mono<ZipCodeView> add(@Body ZipCodeView code) {
        return service.add(code.validated());
    }
}
